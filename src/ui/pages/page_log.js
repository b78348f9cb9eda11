// page_log.js: the log as it grows.
import { h, head, empty, toast } from "./dom.js";
import { get } from "./api.js";
import { days, rules_of } from "./entry.js";

const names = ["since", "agent", "rule", "denied"];
const first_lines = 100, most_lines = 5000, wait_ms = 2000;

const spans = [["", "ever"], ["1h", "an hour ago"], ["1d", "a day ago"], ["7d", "7 days ago"], ["30d", "30 days ago"]];

const has_word = (entry, word) => [entry.about, entry.reason, entry.step, entry.profile, entry.conversation, ...rules_of(entry)].some((text) => String(text ?? "").toLowerCase().includes(word));

export async function log({ query, go, on_leave, over }) {
  const asked = new URLSearchParams(names.filter((name) => query.get(name)).map((name) => [name, query.get(name)]));
  let lines = Math.min(Number(query.get("lines")) || first_lines, most_lines);
  const ask = async (count) => (await get(`/api/ask/log?${asked}&lines=${count}`)).answer;
  const [newest, { rules }, { answer: status }] = await Promise.all([ask(lines), get("/api/rules"), get("/api/ask/status")]);
  const list = newest.reverse();
  let shown = null;
  const known = new Set(list.map((entry) => entry.id));
  const change = (name, value) => {
    const next = new URLSearchParams(asked);
    if (value) next.set(name, value);
    else next.delete(name);
    go(`/log?${next}`);
  };

  const place = h("section", { class: "panel flush", "aria-label": "Entries of the log" });
  const spoken = h("p", { role: "status", class: "muted quiet", "aria-live": "polite" });
  const search = h("input", { type: "search", placeholder: "command, reason, rule", oninput: () => draw() });
  const more = h("button", { type: "button", class: "start", onclick: () => { const next = new URLSearchParams(asked); next.set("lines", lines * 5); go(`/log?${next}`, true); } }, "Older ones");
  const draw = () => {
    const word = search.value.trim().toLowerCase();
    const fit = word ? list.filter((entry) => has_word(entry, word)) : list;
    shown = fit.length ? days(fit, rules) : null;
    place.replaceChildren(shown ? shown.element : list.length ? empty("None of these entries has this text.") : empty("Nothing is in the log that fits. Agents write it as they work; this shows what would be decided:", "belay check 'rm -rf ~'"));
    more.hidden = list.length < lines || lines >= most_lines;
  };
  const add = (entry) => {
    list.unshift(entry);
    known.add(entry.id);
    const word = search.value.trim().toLowerCase();
    if (word && !has_word(entry, word)) return;
    if (shown) shown.add(entry);
    else draw();
  };

  const live = h("input", { type: "checkbox", checked: true });
  const light = h("span", { class: "live", "aria-hidden": "true" });
  let is_left = false, is_asking = false, seen_end = null;
  const look = async () => {
    light.classList.toggle("on", live.checked);
    if (!live.checked || document.hidden || is_left || is_asking) return;
    is_asking = true;
    try {
      // The end of the log is found at once; a filter goes through much of it.
      const end = (await get("/api/ask/log?lines=1")).answer.at(-1)?.id;
      if (end === seen_end) return;
      seen_end = end;
      const fresh = (await ask(50)).filter((entry) => !known.has(entry.id));
      if (is_left) return;
      fresh.forEach(add);
      if (fresh.length) spoken.textContent = `${fresh.length} new ${fresh.length === 1 ? "entry" : "entries"}, the last: ${fresh.at(-1).about || fresh.at(-1).step}`;
    } catch (error) {
      if (is_left) return;
      if (error instanceof TypeError) over();
      else { live.checked = false; toast(error.message); }
    } finally {
      is_asking = false;
    }
  };
  const timer = setInterval(look, wait_ms);
  live.addEventListener("change", look);
  on_leave(() => { is_left = true; clearInterval(timer); });
  light.classList.add("on");
  draw();

  const agents = [...new Set([...status.agents.map((one) => one.agent), ...list.map((entry) => entry.profile), asked.get("agent")].filter(Boolean))].sort();
  const packs = [...new Set(rules.map((rule) => rule.id.split("/")[0]))];
  const rule = h("input", { list: "rule-names", value: asked.get("rule") ?? "", placeholder: "git or git/force-push", onchange: (event) => change("rule", event.target.value.trim()) });
  return [
    head("Log", h("label", { class: "inline" }, live, light, "live")),
    h("div", { class: "stack" },
      h("form", { class: "row", role: "search", "aria-label": "Entries", onsubmit: (event) => { event.preventDefault(); if (rule.value.trim() !== (asked.get("rule") ?? "")) change("rule", rule.value.trim()); } },
        h("label", { class: "grow" }, "Search in these", search),
        h("label", {}, "Told", h("select", { onchange: (event) => change("denied", event.target.value) },
          [["", "all"], ["true", "refused"]].map(([value, word]) => h("option", { value, selected: value === (asked.get("denied") ?? "") }, word)))),
        h("label", {}, "Agent", h("select", { onchange: (event) => change("agent", event.target.value) },
          ["", ...agents].map((name) => h("option", { value: name, selected: name === (asked.get("agent") ?? "") }, name || "all")))),
        h("label", {}, "Rule or pack", rule, h("datalist", { id: "rule-names" }, packs.map((value) => h("option", { value })), rules.map(({ id }) => h("option", { value: id })))),
        h("label", {}, "Since", h("select", { onchange: (event) => change("since", event.target.value) },
          (spans.some(([value]) => value === (asked.get("since") ?? "")) ? spans : [...spans, [asked.get("since"), asked.get("since")]]).map(([value, word]) => h("option", { value, selected: value === (asked.get("since") ?? "") }, word))))),
      spoken, place, more),
  ];
}
