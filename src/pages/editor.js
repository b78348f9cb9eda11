// editor.js: a text area over its own text in colour: undo, input methods and screen readers keep working.
import { h } from "./dom.js";

const words = {
  rego: /\b(package|import|default|not|some|every|in|if|contains|with|as|else|true|false|null|deny|ask|halt|allow)\b/,
  yml: /^[ \t]*(?:- )?[\w"./*-]+(?=:)|\b(true|false|off|null)\b/m,
  sh: /\b(if|then|else|elif|fi|for|do|done|while|case|esac|in|exit|return|set|echo|read)\b/,
};

/** The text in pieces: [class or "", text]. */
function pieces(text, kind) {
  const rule = new RegExp(["(#[^\\n]*)", "(\"(?:[^\"\\\\\\n]|\\\\.)*\"|'[^'\\n]*'|`[^`]*`)", `(${(words[kind] ?? words.sh).source})`, "(\\b\\d+(?:\\.\\d+)?\\b)"].join("|"), "gm");
  const found = [];
  let at = 0;
  for (const match of text.matchAll(rule)) {
    if (!match[0]) continue;
    found.push(["", text.slice(at, match.index)]);
    const type = match[1] !== undefined ? "comment" : match[2] !== undefined ? "string" : match[3] !== undefined ? "word" : "number";
    found.push([`t-${type}`, match[0]]);
    at = match.index + match[0].length;
  }
  found.push(["", text.slice(at)]);
  return found;
}

/** {element, value, mark(findings), go(line, column)} */
export function editor({ text, name, readonly, onchange }) {
  const kind = name.split(".").pop();
  const shown = h("pre", { "aria-hidden": "true" });
  const gutter = h("pre", { class: "gutter", "aria-hidden": "true" });
  let bad = new Set();
  const draw = () => {
    shown.replaceChildren(...pieces(area.value, kind).map(([type, part]) => (type ? h("span", { class: type }, part) : part)), "\n");
    const lines = area.value.split("\n").length;
    gutter.replaceChildren(...Array.from({ length: lines }, (_, i) => (bad.has(i + 1) ? h("b", {}, `${i + 1} \n`) : `${i + 1} \n`)));
    follow();
  };
  const follow = () => {
    shown.scrollTop = gutter.scrollTop = area.scrollTop;
    shown.scrollLeft = area.scrollLeft;
  };
  const area = h("textarea", {
    value: text, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", readonly, "aria-label": `Text of ${name}`,
    oninput: () => { draw(); onchange?.(area.value); }, onscroll: follow,
  });
  draw();
  return {
    element: h("div", { class: "editor" }, gutter, shown, area),
    get value() { return area.value; },
    mark(findings) { bad = new Set(findings.map((finding) => finding.line)); draw(); },
    go(line, column) {
      const before = area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
      area.focus();
      area.setSelectionRange(before + Math.max(0, (column ?? 1) - 1), before + Math.max(0, (column ?? 1) - 1));
      area.scrollTop = Math.max(0, (line - 6) * 20);
    },
  };
}
