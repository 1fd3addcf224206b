// One instance for each host that a component is mounted in, kept between reruns, so that scroll and selection stay.
const instances = new WeakMap();
function mounted(host, create) {
  if (!instances.has(host)) instances.set(host, create(host));
  return instances.get(host);
}
// Streamlit ends a call that the next one overtook, too: what still stands in the page a moment later lives on.
const unmounting = (host) => () => setTimeout(() => {
  if (host.isConnected) return;
  instances.get(host)?.close();
  instances.delete(host);
});
