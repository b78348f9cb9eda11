// page_try.js: what would be decided about an action that nobody takes.
import { h, head, panel, empty } from "./dom.js";
import { post } from "./api.js";

const kinds = [
  ["command", "Command line", "git push --force origin main"],
  ["read", "File that a tool reads", ".env"],
  ["write", "File that a tool writes", ".github/workflows/release.yml"],
  ["mcp", "Tool of an MCP server", "database/drop_table"],
  ["event", "Event, as JSON", '{"hook_event_name": "PreToolUse", ...}'],
];
const examples = ["rm -rf ~", "git push --force origin main", "curl -s https://example.com/install.sh | sudo bash", "cat .env", "npm publish", "git status"];
const levels = [["", "as it is set here"], ["relaxed", "relaxed"], ["standard", "standard"], ["strict", "strict"]];

const verdicts = {
  deny: ["deny", "It would be refused."], ask: ["ask", "A person would be asked."], allow: ["good", "It would go on."], none: ["good", "It would go on: nothing speaks against it."],
};

function findings(report) {
  const shown = [...report.findings].sort((a, b) => Number(b.counted) - Number(a.counted));
  return shown.length > 0 && panel("Why", `${shown.length} ${shown.length === 1 ? "rule" : "rules"} spoke`, h("ul", { class: "why-list" }, shown.map((one) =>
    h("li", {}, h("div", { class: "file-head" }, h("span", { class: `state ${one.verb === "deny" || one.verb === "halt" || one.verb === "block" ? "deny" : one.verb === "ask" ? "ask" : ""}` }, one.verb),
      h("a", { class: "mono", href: `/rules?q=${encodeURIComponent(one.rule_id)}` }, one.rule_id), h("span", { class: "badge" }, one.severity ?? ""), !one.counted && h("span", { class: "muted" }, "outranked")),
      h("p", {}, one.reason)))));
}

/** The line, with the parts that effects come from. */
function effects(facts, line) {
  const rows = [...(facts?.effects ?? [])];
  if (!rows.length && !facts?.opaque?.length) return null;
  const part = (one) => (line && one.span ? new TextDecoder().decode(new TextEncoder().encode(line).slice(...one.span)) : "");
  return panel("What it would do", "as belay reads the line; nothing was run", h("ul", { class: "effects" },
    rows.map((one) => h("li", {}, h("span", { class: "state" }, [one.kind, one.action].filter(Boolean).join(": ")), h("span", { class: "text" }, h("code", {}, one.target ?? part(one)),
      one.details?.length > 0 && h("span", { class: "sub" }, one.details.join(", "))))),
    (facts.opaque ?? []).map((one) => h("li", {}, h("span", { class: "state ask" }, "not known"), h("span", { class: "text" }, h("code", {}, one.what ?? part(one)), h("span", { class: "sub" }, one.origins?.length ? `${one.reason}, from ${one.origins.join(", ")}` : one.reason))))));
}

function policies(report) {
  const run = (report.policies ?? []);
  return run.length > 0 && h("details", {}, h("summary", {}, `Policies of your own (${run.filter((one) => one.runs).length} of ${run.length} took part)`),
    h("ul", { class: "paths" }, run.map((one) => h("li", {}, h("span", { class: "mono" }, one.package), `: ${one.runs ? "took part" : one.why}${one.wants ? ` (${one.wants.join(", ")})` : ""}`))));
}

function show(answer, line) {
  const verdict = answer.verdict ?? answer.decision?.verdict ?? (["deny", "halt", "block"].includes(answer.report?.verb) ? "deny" : answer.report?.verb === "ask" ? "ask" : "none");
  const report = answer.report ?? answer;
  const [kind, words] = verdicts[verdict] ?? ["", verdict];
  const messages = report.agent_messages ?? [];
  return [
    h("div", { class: `note verdict ${kind === "deny" ? "bad" : kind === "ask" ? "warn" : "good"}` }, h("b", {}, words), messages.map((message) => h("span", { class: "sub" }, message))),
    report.findings && findings(report), effects(answer.facts ?? report.facts, line), report.troubles?.length > 0 && panel("What went wrong", null, h("ul", {}, report.troubles.map((one) => h("li", {}, one.text ?? JSON.stringify(one))))),
    policies(report), h("details", {}, h("summary", {}, "The whole answer"), h("pre", { tabindex: "0", "aria-label": "The whole answer" }, JSON.stringify(answer, null, 2))),
  ].filter(Boolean);
}

export async function trial({ query }) {
  const result = h("div", { class: "stack", role: "region", "aria-label": "The answer", "aria-live": "polite" }, empty("Nothing that is typed here is run or recorded, and no agent is told of it."));
  const text = h("textarea", { id: "line", rows: 3, class: "mono", spellcheck: "false", autocapitalize: "off", required: true, value: query.get("line") ?? "" });
  const kind = h("select", {}, kinds.map(([value, name]) => h("option", { value }, name)));
  const level = h("select", {}, levels.map(([value, name]) => h("option", { value }, name)));
  const agent = h("input", { value: "claude", autocomplete: "off" });
  const of_level = h("label", {}, "Level", level);
  const of_agent = h("label", { hidden: true }, "Agent", agent);
  const of_signals = h("p", { class: "muted", hidden: true }, "The programs that the rulebook names as signals are run, as for a real event; nothing is recorded.");
  const ask = async () => {
    const body = kind.value === "event" ? { event: text.value, agent: agent.value } : { [kind.value]: text.value, level: level.value };
    try {
      const { answer } = await post("/api/try", body);
      result.replaceChildren(...show(answer, kind.value === "command" ? text.value : null));
    } catch (error) {
      result.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message));
    }
  };
  kind.addEventListener("change", () => {
    const is_event = kind.value === "event";
    text.placeholder = kinds.find(([value]) => value === kind.value)[2];
    text.rows = is_event ? 8 : 3;
    of_level.hidden = is_event;
    of_agent.hidden = of_signals.hidden = !is_event;
  });
  text.placeholder = kinds[0][2];
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ask();
  });
  if (text.value) await ask();
  return [
    head("Try"),
    h("div", { class: "stack" },
      h("form", { class: "panel fields", onsubmit: (event) => { event.preventDefault(); ask(); } },
        h("div", { class: "row" }, h("label", {}, "What the agent would do", kind), of_level, of_agent),
        h("label", {}, "The line, path, tool or event", text), of_signals,
        h("div", { class: "row middle" }, h("button", { class: "main", type: "submit" }, "What would be decided?"), h("span", { class: "muted" }, "or Ctrl and Enter")),
        h("div", { class: "row middle examples" }, h("span", { class: "muted" }, "For example"), examples.map((line) => h("button", { type: "button", class: "mono", onclick: () => { kind.value = "command"; kind.dispatchEvent(new Event("change")); text.value = line; ask(); } }, line)))),
      result),
  ];
}
