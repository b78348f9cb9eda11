// chart.js: bars over time as SVG, with a sentence and a table for those who do not see it.
import { h, count } from "./dom.js";

const space = "http://www.w3.org/2000/svg";

function svg(name, attributes, ...children) {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const kinds = [["deny", "refused"], ["ask", "asked"], ["monitored", "would have been refused"]];
const classes = { deny: "deny", ask: "ask", monitored: "monitor" };

const height_of = (bar) => kinds.reduce((sum, [kind]) => sum + bar[kind], 0);

/** A round number that is not below most: 1, 2, 5, 10, 20, ... */
function ceiling(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 5, 10].map((step) => step * power).find((value) => value >= most);
}

function label(ms, data) {
  const options = data.now - data.from > 3 * 86400000 ? { month: "short", day: "numeric" } : { hour: "2-digit", minute: "2-digit", hour12: false };
  return new Date(ms).toLocaleString("en", { ...options, timeZone: data.zone });
}

/** The picture, as wide as there is room. */
function draw(data, width) {
  const height = 200, left = 36, bottom = 22, total = data.total ?? 48;
  const by = new Map(data.bars.map((bar) => [bar.bar, bar]));
  const top = ceiling(Math.max(1, ...data.bars.map(height_of)));
  const scale = (height - bottom - 8) / top;
  const step = (width - left) / total;
  const every = Math.ceil(total / Math.max(2, Math.min(6, Math.floor(width / 90))));
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-labelledby": "chart-sentence" });
  for (const part of top % 2 ? [0, 1] : [0, 0.5, 1]) {
    const y = height - bottom - part * top * scale;
    picture.append(svg("line", { x1: left, x2: width, y1: y, y2: y }));
    picture.append(svg("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, count(part * top)));
  }
  for (let i = 0; i < total; i++) {
    const bar = by.get(i);
    let y = height - bottom;
    for (const [kind] of kinds) {
      const size = (bar?.[kind] ?? 0) * scale;
      if (!size) continue;
      y -= size;
      const rect = svg("rect", { x: left + i * step + 1, y, width: Math.max(1, step - 2), height: size, class: classes[kind], rx: 1 });
      rect.append(svg("title", {}, `${label(data.from + i * data.step, data)}: ${kinds.map(([k, word]) => `${bar[k]} ${word}`).join(", ")}`));
      picture.append(rect);
    }
    if (i % every === 0) picture.append(svg("text", { x: left + i * step, y: height - 6 }, label(data.from + i * data.step, data)));
  }
  return picture;
}

/** data: the overview's {from, step, bars, now}; total: how many bars there is room for; zone: of its times, here where it is missing. */
export function bars(data) {
  const place = h("div", {}, draw(data, 960));
  new ResizeObserver(([{ contentRect }]) => contentRect.width && place.replaceChildren(draw(data, Math.round(contentRect.width)))).observe(place);
  const sums = kinds.map(([kind, word]) => `${count(data.bars.reduce((sum, bar) => sum + bar[kind], 0))} ${word}`);
  return h("div", {}, place,
    h("div", { class: "legend" }, kinds.map(([kind, word]) => h("span", { class: classes[kind] }, h("i", {}), word))),
    h("p", { id: "chart-sentence", class: "muted" }, `In this time ${sums.join(", ")}.`),
    h("details", {}, h("summary", {}, "As a table"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Numbers of the chart" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "from"), kinds.map(([, word]) => h("th", { scope: "col", class: "number" }, word)))),
      h("tbody", {}, data.bars.filter(height_of).map((bar) => h("tr", {},
        h("td", {}, new Date(data.from + bar.bar * data.step).toISOString().slice(0, 16).replace("T", " ")),
        kinds.map(([kind]) => h("td", { class: "number" }, count(bar[kind]))))))))));
}
