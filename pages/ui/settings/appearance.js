// Streamlit reads its theme on loading, from local storage under the path it was loaded at, so it is set for the paths of
// all pages.
const CHOICES = [["System", "contrast", "As the system"], ["Light", "light_mode", "Light"], ["Dark", "dark_mode", "Dark"]];
const noteAt = (path) => `stActiveTheme-${path}-v2`;

function choose(choice, pages) {
  const base = location.pathname.replace(/[^/]*$/, "");
  for (const page of pages) localStorage.setItem(noteAt(base + page), JSON.stringify(choice));
  location.reload();
}

export default function ({ parentElement, data }) {
  if (!data) return;
  const group = parentElement.querySelector(".appearance");
  const now = JSON.parse(localStorage.getItem(noteAt(location.pathname)) || '"System"');
  group.replaceChildren(...CHOICES.map(([choice, glyph, words]) => {
    const button = make("button", "", "");
    button.append(icon(glyph), ` ${words}`);
    button.setAttribute("role", "radio");
    button.setAttribute("aria-checked", String(choice === now));
    button.onclick = () => choice === now || choose(choice, data.pages);
    return button;
  }));
}
