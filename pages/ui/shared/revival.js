// A page that stays white comes back by itself: its address says what it showed. White is a window without a word of a
// page, whatever was the cause: a script that died on the server, or the page's own code in the browser.
const LOOKED = 500, DEAD = 3000, SLOW = 60000; // milliseconds: between looks; white and idle; white and at work
const RETRIES = 3, WITHIN = 120000, REVIVED = "lectern-revived"; // a cause that stays must not reload for ever

function isWhite() {
  const main = document.querySelector("[data-testid=stMainBlockContainer]");
  return !main || !(main.innerText.trim() || main.querySelector("iframe, canvas, img, input, [data-testid=stSkeleton]"));
}

// A server that is gone cannot bring a page back, and Streamlit says so itself.
async function revive() {
  const before = JSON.parse(sessionStorage.getItem(REVIVED) || "[]").filter((time) => Date.now() - time < WITHIN);
  if (before.length >= RETRIES || !(await fetch("/_stcore/health").catch(() => null))?.ok) return;
  sessionStorage.setItem(REVIVED, JSON.stringify([...before, Date.now()]));
  location.reload();
}

if (!window.lecternRevival) {
  let since = 0;
  window.lecternRevival = setInterval(() => {
    if (document.hidden || !isWhite()) { since = 0; return; }
    since ||= Date.now();
    const app = document.querySelector("[data-testid=stApp]"), idle = !app || app.dataset.testScriptState === "notRunning";
    if (Date.now() - since < (idle ? DEAD : SLOW)) return;
    since = Date.now();
    revive();
  }, LOOKED);
}
