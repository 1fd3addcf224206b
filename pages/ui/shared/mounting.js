// One instance for each element in which a component is mounted, kept between reruns so that scroll and selection stay.
const instances = new WeakMap();
function mounted(host, create) {
  if (!instances.has(host)) instances.set(host, create(host));
  return instances.get(host);
}
// Streamlit also calls this when a newer call replaces this one: an instance whose host is still in the page is kept.
const unmounting = (host) => () => setTimeout(() => {
  if (host.isConnected) return;
  instances.get(host)?.close();
  instances.delete(host);
});
