// diff.js: two texts line by line.
import { h } from "./dom.js";

const kept = 3; // equal lines around a change

/** [sign, line] for all lines, by the longest common subsequence. */
function compare(before, after) {
  const a = before === null ? [] : before.replace(/\n$/, "").split("\n");
  const b = after === null ? [] : after.replace(/\n$/, "").split("\n");
  if (a.length * b.length > 4000000) return [...a.map((line) => ["-", line]), ...b.map((line) => ["+", line])];
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const lines = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { lines.push([" ", a[i++]]); j++; }
    else if (j >= b.length || (i < a.length && lengths[i + 1][j] >= lengths[i][j + 1])) lines.push(["-", a[i++]]);
    else lines.push(["+", b[j++]]);
  }
  return lines;
}

const classes = { "+": "added", "-": "removed", " ": "" };

/** One file of the draft's changes. */
export function diff(file) {
  const lines = compare(file.before, file.after);
  const near = lines.map((_, i) => lines.slice(Math.max(0, i - kept), i + kept + 1).some(([sign]) => sign !== " "));
  const shown = [];
  lines.forEach(([sign, line], i) => {
    if (near[i]) shown.push(h("span", { class: classes[sign] }, `${sign} ${line}`));
    else if (near[i - 1] ?? i === 0) shown.push(h("span", { class: "gap" }, "..."));
  });
  const word = file.before === null ? "new" : file.after === null ? "removed" : "changed";
  return h("div", { class: "diff" }, h("h3", {}, `${file.path} (${word})`), h("pre", { tabindex: "0", "aria-label": `Changes of ${file.path}` }, shown));
}
