// entry.js: entries of the log: a list of them, and all about one.
import { h, ago, dialog, toast, copied } from "./dom.js";
import { get } from "./api.js";

const day = 86400000;
const words = { deny: ["deny", "refused"], ask: ["ask", "asked"], allow: ["good", "allowed"], none: ["", "no opinion"] };

export function told(entry) {
  if (entry.allowance?.state === "used") return h("span", { class: "state good" }, "let pass");
  const [kind, word] = words[entry.enforced] ?? ["", entry.enforced];
  return h("span", { class: `state ${kind}` }, word);
}

const lists = [["findings", ""], ["monitored", "only recorded"], ["excepted", "excepted"], ["allowed", "let pass by a person"]];

/** [[rule, verb, note], ...] of all lists of an entry. */
export function findings_of(entry) {
  return lists.flatMap(([name, note]) => (Array.isArray(entry.response?.[name]) ? entry.response[name] : []).map((one) => [one.rule_id ?? String(one), one.verb ?? "", note]));
}

export const rules_of = (entry) => [...new Set(findings_of(entry).map(([rule]) => rule))];

function why_of(entry, rules) {
  const found = findings_of(entry);
  return found.length > 0 && h("section", { class: "stack" }, h("h3", {}, "Why"), h("ul", { class: "why-list" }, found.map(([id, verb, note]) => {
    const row = rules.find((rule) => rule.id === id)?.row;
    return h("li", {}, h("a", { class: "mono", href: `/rules?q=${encodeURIComponent(id)}` }, id), verb && ` says ${verb}`, note && ` (${note})`,
      row?.title && h("span", { class: "sub" }, row.title, row.description ? `. ${row.description}` : ""),
      row?.custom?.instead && h("span", { class: "sub" }, "Instead: ", row.custom.instead));
  })));
}

/** A command to run in a terminal, with a button that copies it. */
export function command(text) {
  return h("div", { class: "command" }, h("code", {}, text), h("button", { type: "button", onclick: () => copied(text), "aria-label": `Copy: ${text}` }, "Copy"));
}

async function show(entry, rules) {
  try {
    const { answer: full } = await get(`/api/ask/entry?id=${encodeURIComponent(entry.id)}`);
    const fact = (name, value) => (value === null || value === undefined || value === "" ? [] : [h("dt", {}, name), h("dd", {}, value)]);
    const code = full.allowance?.state === "offered" && Date.now() - Date.parse(full.time) < day && full.allowance.code;
    const box = dialog("One entry of the log", h("p", { class: "secret" }, full.about || full.step),
      h("dl", { class: "facts" }, fact("The agent was told", told(full)), fact("Reason", full.reason), fact("Agent", full.profile), fact("Event", full.step), fact("Decided by", full.source), fact("From", full.file && h("span", { class: "path" }, full.file)),
        fact("Outcome", full.outcome), fact("Conversation", full.conversation), fact("Took", full.duration_ms !== undefined && `${full.duration_ms} ms`), fact("When", h("span", {}, ago(Date.parse(full.time)), `, ${full.time}`))),
      why_of(full, rules),
      code && h("section", { class: "stack" }, h("h3", {}, "To let it pass once"), command(`belay allow ${code}`)),
      h("details", {}, h("summary", {}, "The entry as it is stored"), h("pre", { tabindex: "0", "aria-label": "The entry as it is stored" }, JSON.stringify(full, null, 2))),
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => box.close() }, "Close")));
    box.addEventListener("click", (event) => { if (event.target.closest("a[href]")) box.close(); });
  } catch (error) {
    toast(error.message);
  }
}

const clock = (at) => h("time", { datetime: at.toISOString(), title: at.toISOString() }, at.toLocaleTimeString("en", { hour12: false }));

export function line(entry, rules, has_clock) {
  const spoke = findings_of(entry).map(([rule, , remark]) => (remark ? `${rule} (${remark})` : rule));
  const note = [[...new Set(spoke)].join(", "), entry.profile, entry.conversation === "canary" && "belay trying itself out"].filter(Boolean).join(" · ");
  return h("li", { "data-id": entry.id }, h("button", { type: "button", onclick: () => show(entry, rules) }, told(entry),
    h("span", { class: "line" }, h("span", { class: "what" }, entry.about || entry.step), h("span", { class: "why" }, note)),
    h("span", { class: "when" }, has_clock ? clock(new Date(entry.time)) : ago(Date.parse(entry.time)))));
}

export const entries = (list, rules) => h("ul", { class: "events" }, list.map((entry) => line(entry, rules)));

const day_name = (time) => new Date(time).toLocaleDateString("en", { weekday: "long", month: "long", day: "numeric" });

/** The newest first, below the names of their days; add(entry) puts one more on top. */
export function days(list, rules) {
  const place = h("div", {});
  let first = null;
  const begin = (name) => ({ name, list: h("ul", { class: "events" }) });
  const parts = (part) => [h("h2", { class: "day" }, part.name), part.list];
  let last = null;
  for (const entry of list) {
    const name = day_name(entry.time);
    if (last?.name !== name) {
      last = begin(name);
      first = first ?? last;
      place.append(...parts(last));
    }
    last.list.append(line(entry, rules, true));
  }
  return { element: place, add(entry) {
    const name = day_name(entry.time);
    if (first?.name !== name) {
      first = begin(name);
      place.prepend(...parts(first));
    }
    const item = line(entry, rules, true);
    item.classList.add("new");
    first.list.prepend(item);
  } };
}
