// Reload a page that stays white; its URL says what it showed. White means that the window shows no text of a page, be
// it that a script died on the server or that the page's code failed in the browser.
const LOOKED = 500, DEAD = 3000, SLOW = 60000; // milliseconds: between checks; until a reload while idle, while at work
const RETRIES = 3, WITHIN = 120000, REVIVED = "lectern-revived"; // most reloads within a time, if the cause stays

function isWhite() {
  const main = document.querySelector("[data-testid=stMainBlockContainer]");
  return !main || !(main.innerText.trim() || main.querySelector("iframe, canvas, img, input, [data-testid=stSkeleton]"));
}

// Reload only if the server answers; if it does not, Streamlit reports that itself.
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
