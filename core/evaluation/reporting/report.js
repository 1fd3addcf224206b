/* Draws each figure from the JSON inside its element, in the colours of the theme shown; on paper in the light ones. */
const dark = matchMedia("(prefers-color-scheme: dark)");

function draw(theme) {
  for (const place of document.querySelectorAll(".figure")) {
    const { data, layout } = JSON.parse(place.querySelector("script").textContent)[theme];
    const drawn = place.querySelector(".drawn") ?? place.appendChild(document.createElement("div"));
    drawn.className = "drawn";
    Plotly.react(drawn, data, layout, { displayModeBar: false, responsive: true });
  }
}

const shown = () => draw(dark.matches ? "dark" : "light");
shown();
dark.addEventListener("change", shown);
addEventListener("beforeprint", () => draw("light"));
addEventListener("afterprint", shown);
