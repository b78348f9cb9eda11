// page_overview.js: is everything guarded, and what was refused, at a glance.
import { h, head, panel, table, empty, ago, count } from "./dom.js";
import { get } from "./api.js";
import { bars } from "./chart.js";
import { entries } from "./entry.js";

const day = 86400000;
const ranges = [[7, "7 days"], [30, "30 days"], [90, "90 days"]];

function tile(kind, number, text, href) {
  return h(href ? "a" : "div", { class: `tile ${number ? kind : ""}`, href }, h("b", {}, count(number)), h("span", {}, text));
}

/** One sentence about all agents, and what to do. */
function verdict_on(status) {
  const bad = status.agents.filter((agent) => !agent.guarded);
  if (!status.agents.length) return h("div", { class: "note warn" }, h("b", {}, "No agent is found here. "), "belay is registered with none, and none has a folder in this project. ", h("code", {}, "belay init"));
  if (bad.length) return h("div", { class: "note bad" }, h("b", {}, bad.length === status.agents.length ? "Nothing is guarded. " : `${bad.length} of ${status.agents.length} agents ${bad.length === 1 ? "is" : "are"} not guarded. `), "The panel below says why, and what to do.");
  return h("div", { class: "note good" }, h("b", {}, status.agents.length === 1 ? "The agent found here is guarded." : `The ${status.agents.length} agents found here are guarded.`));
}

function fact(name, ...value) {
  return value.some((part) => part !== undefined && part !== null && part !== "" && part !== false) ? [h("dt", {}, name), h("dd", {}, value.flat())] : [];
}

function level_of(agent) {
  if (!agent.policies) return null;
  const { level, pack_rules, overrides, policies } = agent.policies;
  return `${level || "no level"}: ${count(pack_rules)} rules of the packs${overrides ? `, ${overrides} with a mode of their own` : ""}${policies ? `, ${policies} ${policies === 1 ? "policy" : "policies"}` : ""}`;
}

function agent_card(agent) {
  return h("article", { class: "agent" },
    h("div", { class: "panel-head" }, h("h3", {}, agent.agent), h("span", { class: `state ${agent.guarded ? "good" : "deny"}` }, agent.guarded ? "guarded" : "not guarded")),
    agent.reason && h("p", {}, agent.reason),
    agent.remedy && h("p", {}, "To do: ", h("b", {}, agent.remedy)),
    agent.note && h("p", { class: "muted" }, agent.note),
    h("dl", { class: "facts" },
      fact("Level", level_of(agent)),
      fact("Last event", agent.last_event ? ago(Date.parse(agent.last_event)) : "none has come"),
      fact("Guarded since", agent.guarded_since && ago(Date.parse(agent.guarded_since))),
      fact("Registered in", agent.registered?.length ? agent.registered.map((one) => h("span", { class: "path" }, one.file)) : null),
      fact("Policies", agent.policies?.dir && h("span", { class: "path" }, agent.policies.dir)),
      fact("In the way", agent.obstacles?.length ? agent.obstacles.map((one) => h("span", {}, h("span", { class: "path" }, one.file), h("span", { class: "sub" }, one.what, one.remedy && `; ${one.remedy}`))) : null),
      fact("Cannot", agent.cannot)));
}

/** The days of belay stats as the bars of a chart. */
function by_day(stats, days, now) {
  const from = Math.floor(now / day) * day - (days - 1) * day;
  const found = stats.days.map((row) => ({ bar: Math.round((Date.parse(`${row.day}T00:00:00Z`) - from) / day), deny: row.denied, ask: row.asked, monitored: row.monitored }));
  return { from, now, step: day, total: days, zone: "UTC", bars: found.filter((bar) => bar.bar >= 0 && bar.bar < days) };
}

function top_rules(stats, days) {
  const said = (row) => row.denied + row.asked + row.monitored;
  const rows = stats.rules.filter(said).sort((a, b) => said(b) - said(a)).slice(0, 8);
  if (!rows.length) return empty("No rule has spoken in this time.");
  const most = said(rows[0]);
  return table([
    ["Rule", (row) => {
      const share = h("span", { class: "share" });
      share.style.width = `${(100 * said(row)) / most}%`;
      return h("div", {}, h("a", { class: "mono", href: `/log?rule=${encodeURIComponent(row.rule)}&since=${days}d` }, row.rule), share);
    }, "wide text"],
    ["Refused", (row) => row.denied ? count(row.denied) : "", "number named"],
    ["Asked", (row) => row.asked ? count(row.asked) : "", "number named"],
    ["Monitor", (row) => row.monitored ? count(row.monitored) : "", "number named"],
  ], rows, "Busiest rules");
}

export async function overview({ query, go }) {
  const days = ranges.map(([value]) => value).find((value) => value === Number(query.get("days"))) ?? 30;
  const [{ answer: status }, { answer: stats }, { answer: hooks }, { answer: refused }, { rules }] = await Promise.all([
    get("/api/ask/status"), get(`/api/ask/stats?since=${days}d`), get("/api/ask/hooks"), get("/api/ask/log?denied=true&lines=5"), get("/api/rules")]);
  const errors = hooks.findings.filter((one) => one.severity === "error").length;
  const waiting = hooks.files.filter((file) => ["untrusted", "changed"].includes(file.state)).length;
  const range = h("label", { class: "inline" }, "Last", h("select", { onchange: (event) => go(`/?days=${event.target.value}`) },
    ranges.map(([value, name]) => h("option", { value, selected: value === days }, name))));
  const is_bad = !status.guarded;
  const agents = panel("Agents", `found in ${status.project}, on PATH and in your home`, status.agents.length ? h("div", { class: "agents" }, status.agents.map(agent_card)) : empty("None is found here. To register belay with one:", "belay init --harness AGENT"));
  const seen = stats.all.denied + stats.all.asked + stats.all.monitored > 0;
  return [
    head("Overview", range),
    h("div", { class: "stack" },
      verdict_on(status),
      errors > 0 && h("div", { class: "note bad" }, h("b", {}, `${errors} ${errors === 1 ? "mistake" : "mistakes"} in hook files. `), h("a", { href: "/hooks" }, "See what does not run")),
      waiting > 0 && h("div", { class: "note warn" }, h("b", {}, `The hooks of ${waiting === 1 ? "this workspace wait" : `${waiting} workspaces wait`} for your trust. `), h("a", { href: "/hooks" }, "Look at them")),
      h("div", { class: "tiles" },
        tile("", stats.all.actions, "actions", `/log?since=${days}d`),
        tile("deny", stats.all.denied, "refused", `/log?denied=true&since=${days}d`),
        tile("ask", stats.all.asked, "asked", `/log?since=${days}d`),
        tile("monitor", stats.all.monitored, "would have been refused", null),
        tile("", stats.all.overridden, "let pass by a person", null)),
      is_bad && agents,
      panel("What was stopped", "by day, UTC", seen ? bars(by_day(stats, days, Date.now())) : empty("Nothing was refused, asked or monitored in this time. To see what would be:", "belay check 'rm -rf ~'")),
      h("div", { class: "columns" },
        panel("Busiest rules", null, top_rules(stats, days)),
        h("section", { class: "panel flush" }, h("div", { class: "panel-head inset" }, h("h2", {}, "Refused last"), h("a", { href: "/log?denied=true" }, "all")),
          refused.length ? entries([...refused].reverse(), rules) : empty("Nothing was refused yet."))),
      !is_bad && agents),
  ];
}
