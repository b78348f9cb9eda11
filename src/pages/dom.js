// dom.js: elements, times, dialogs and notes.  Texts only ever become text nodes.

/** h("p", {class: "x", onclick: f}, "text", element, ...) */
export function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && ["value", "checked", "disabled", "hidden"].includes(key)) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

const units = [[86400000 * 365, "year"], [86400000 * 30, "month"], [86400000, "day"], [3600000, "hour"], [60000, "minute"]];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** A time as people say it; the exact one on hover and to copy. */
export function ago(ms, now = Date.now()) {
  if (!ms) return h("span", { class: "muted" }, "never");
  const distance = ms - now;
  const unit = units.find(([size]) => Math.abs(distance) >= size);
  const text = unit ? relative.format(Math.round(distance / unit[0]), unit[1]) : distance > 0 ? "in a moment" : "just now";
  const exact = new Date(ms).toISOString();
  return h("time", { datetime: exact, title: exact }, text);
}

export const count = (number) => (number ?? 0).toLocaleString("en");

const verdicts = { deny: ["deny", "refused"], ask: ["ask", "asked"], allow: ["good", "allowed"], none: ["", "no opinion"] };

export function verdict(event) {
  if (event.monitored && event.verdict !== "deny") return h("span", { class: "state monitor" }, "monitor");
  const [kind, word] = verdicts[event.verdict] ?? ["", event.verdict];
  return h("span", { class: `state ${kind}` }, word);
}

/** A page's first line: its name, and what can be done. */
export function head(title, ...actions) {
  document.title = `${title} - belay`;
  return h("div", { class: "head" }, h("h1", {}, title), h("span", { class: "space" }), ...actions);
}

export function panel(title, note, ...children) {
  return h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, title), note && h("span", { class: "muted" }, note)), ...children);
}

/** columns: [heading, row => cell, class].  Becomes cards on small screens. */
export function table(columns, rows, label) {
  const cells = (row) => columns.map(([name, cell, kind]) =>
    h("td", { class: kind, "data-name": kind?.includes("named") && name }, cell(row) ?? ""));
  return h("div", { class: "scroll" }, h("table", { class: "cards", "aria-label": label },
    h("thead", {}, h("tr", {}, columns.map(([name, , kind]) => h("th", { scope: "col", class: kind?.includes("number") && "number" }, name)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, cells(row))))));
}

/** What to do when there is nothing: a sentence and perhaps a command. */
export function empty(text, command) {
  return h("div", { class: "empty" }, h("p", {}, text), command && h("code", {}, command));
}

export function toast(text) {
  const place = document.getElementById("toast");
  place.replaceChildren(h("p", {}, text));
  setTimeout(() => place.replaceChildren(), 6000);
}

/** Puts text where the person can paste it from. */
export function copied(text) {
  navigator.clipboard.writeText(text).then(() => toast("Copied."), () => toast("The browser does not let pages copy here: mark the text and copy it."));
}

/** Shows a dialog; focus goes back where it came from when it is closed. */
export function dialog(title, ...children) {
  const box = h("dialog", { "aria-labelledby": "dialog-title" },
    h("div", { class: "stack" }, h("h2", { id: "dialog-title" }, title), ...children));
  document.body.append(box);
  box.addEventListener("close", () => box.remove());
  box.showModal();
  return box;
}

/** Asks before something that cannot be taken back; word is what to type, or nothing. */
export function confirm(title, text, action, word) {
  return new Promise((resolve) => {
    const go = h("button", { type: "submit", class: "danger", disabled: Boolean(word) }, action);
    const input = word && h("input", { autocomplete: "off", oninput: () => { go.disabled = input.value !== word; } });
    const box = dialog(title, h("p", {}, text), h("form", { class: "fields", method: "dialog", onsubmit: () => resolve(true) },
      word && h("label", {}, `Type ${word} to go on`, input),
      h("div", { class: "row" }, go, h("button", { type: "button", onclick: () => box.close() }, "Cancel"))));
    box.addEventListener("close", () => resolve(false));
  });
}
