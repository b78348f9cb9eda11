// page_executions.js: what ran, what was refused, and why.
import { h, head, empty, ago, verdict, dialog, toast } from "./dom.js";
import { get } from "./api.js";

const names = ["q", "verdict", "machine", "rule", "monitored", "failed", "from"];

function findings_of(body) {
  const response = body.response ?? {};
  const lists = [["findings", ""], ["monitored", " (monitor: not enforced)"], ["excepted", " (excepted)"]];
  return lists.flatMap(([name, note]) => (Array.isArray(response[name]) ? response[name] : []).map((finding) =>
    h("li", {}, h("b", { class: "mono" }, finding.rule_id ?? "a rule"), `${note}: ${finding.reason ?? finding.verb ?? ""}`)));
}

async function show(event) {
  try {
    const full = await get(`/api/executions/${event.machine}/${event.seq}`);
    const why = findings_of(full.body);
    const fact = (name, value) => (value === null || value === undefined || value === "" ? [] : [h("dt", {}, name), h("dd", {}, value)]);
    const box = dialog("One execution", h("p", { class: "secret" }, full.about || full.step),
      h("dl", { class: "facts" }, fact("Verdict", verdict(full)), fact("Reason", full.body.reason), fact("Rule", full.rule), fact("Machine", full.machine_name ?? full.machine), fact("Agent", full.agent), fact("Event", full.step),
        fact("Decided by", full.source), fact("Outcome", full.outcome), fact("Took", `${full.duration_us / 1000} ms`), fact("Set", full.set_version && `version ${full.set_version}`), fact("When", new Date(full.at).toISOString())),
      why.length > 0 && h("div", {}, h("h2", {}, "Why"), h("ul", {}, why)),
      h("details", {}, h("summary", {}, "The record as it was sent"), h("pre", { tabindex: "0" }, JSON.stringify(full.body, null, 2))),
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => box.close() }, "Close")));
  } catch (error) {
    toast(error.message);
  }
}

function line(event) {
  return h("li", {}, h("button", { type: "button", onclick: () => show(event) }, verdict(event),
    h("span", { class: "line" }, h("span", { class: "what" }, event.about || event.step), h("br"), h("span", { class: "why" }, [event.rule, event.agent, event.machine_name].filter(Boolean).join(" · "))),
    h("span", { class: "when" }, ago(event.at))));
}

export async function executions({ query, go }) {
  const asked = new URLSearchParams(names.filter((name) => query.get(name)).map((name) => [name, query.get(name)]));
  const { executions: list } = await get(`/api/executions?${asked}`);
  const change = (name, value) => {
    const next = new URLSearchParams(asked);
    if (value) next.set(name, value);
    else next.delete(name);
    go(`/executions?${next}`);
  };
  const search = h("input", { type: "search", value: asked.get("q") ?? "", placeholder: "command, rule or machine" });
  const events = h("ul", { class: "events" }, list.map(line));
  const more = h("button", { type: "button", hidden: list.length < 100, onclick: async () => {
    const page = await get(`/api/executions?${asked}&before=${list.at(-1).at}`);
    list.push(...page.executions);
    events.append(...page.executions.map(line));
    more.hidden = page.executions.length < 100;
  } }, "Older ones");
  return [
    head("Executions", h("a", { class: "button", href: "/api/export", download: "executions.jsonl", onclick: (event) => event.stopPropagation() }, "Export")),
    h("div", { class: "stack" },
      h("form", { class: "row", role: "search", onsubmit: (event) => { event.preventDefault(); change("q", search.value); } },
        h("label", { class: "grow" }, "Search", search),
        h("label", {}, "Verdict", h("select", { onchange: (event) => change("verdict", event.target.value) },
          [["", "all"], ["deny", "refused"], ["ask", "asked"], ["allow", "allowed"]].map(([value, word]) => h("option", { value, selected: value === (asked.get("verdict") ?? "") }, word)))),
        h("label", { class: "inline" }, h("input", { type: "checkbox", checked: asked.get("monitored") === "1", onchange: (event) => change("monitored", event.target.checked ? "1" : "") }), "only monitor"),
        h("button", { type: "submit" }, "Search")),
      ["machine", "rule", "from", "failed"].filter((name) => asked.get(name)).length > 0 && h("p", {}, "Only ",
        ["machine", "rule", "from", "failed"].filter((name) => asked.get(name)).map((name) => h("button", { type: "button", onclick: () => change(name, ""), "aria-label": `Without the filter ${name}` },
          name === "from" ? `since ${new Date(Number(asked.get(name))).toISOString().slice(0, 16)}` : name === "failed" ? "failed" : `${name} ${asked.get(name)}`, " ×"))),
      h("section", { class: "panel flush", "aria-label": "Executions" }, list.length ? events : empty("No execution matches. Machines send their records with each sync:", "belay team sync")), more),
  ];
}
