// page_overview.js: how the team is, at a glance.
import { h, head, panel, table, empty, ago, count } from "./dom.js";
import { get } from "./api.js";
import { bars } from "./chart.js";

const ranges = [[24, "24 hours"], [168, "7 days"], [720, "30 days"]];

/** A zero is nothing to look at: it has no colour. */
function tile(kind, number, text, href) {
  return h(href ? "a" : "div", { class: number ? `tile ${kind}` : "tile", href }, h("b", {}, count(number)), h("span", {}, text));
}

function rules(data, from) {
  if (!data.rules.length) return empty("No rule has spoken in this time.");
  const most = data.rules[0].count;
  return table([
    ["Rule", (row) => {
      const bar = h("span", { class: "share" });
      bar.style.width = `${(100 * row.count) / most}%`;
      return h("div", {}, h("a", { class: "mono", href: `/executions?rule=${encodeURIComponent(row.rule)}&from=${from}` }, row.rule), bar);
    }, "wide text"],
    ...[["Refused", "deny"], ["Asked", "ask"], ["Monitor", "monitored"]].map(([name, kind]) => [name, (row) => (row[kind] ? count(row[kind]) : ""), "number named"]),
  ], data.rules, "Busiest rules");
}

function rollout(data) {
  if (!data.rollout.length) return empty("No set is in force yet: write hooks or policies, then make a set of them.");
  return table([
    ["Set", (row) => h("a", { href: "/sets" }, `Version ${row.version}`)],
    ["For", (row) => (row.place && data.rollout.length > 1 ? "the others" : row.share === 10000 && !row.label ? "all machines" : `${row.share / 100} %${row.label ? ` of ${row.label}` : ""}`)],
    ["State", (row) => h("span", { class: `state ${row.state === "active" ? "good" : "deny"}` }, row.state)],
    ["Since", (row) => ago(row.since, data.now)],
  ], data.rollout, "Sets in force");
}

export async function overview({ query, go }) {
  const hours = Number(query.get("hours")) || 24;
  const data = await get(`/api/overview?hours=${hours}`);
  const sum = (kind) => data.bars.reduce((all, bar) => all + bar[kind], 0);
  const range = h("label", { class: "inline" }, "Last", h("select", { onchange: (event) => go(`/?hours=${event.target.value}`) },
    ranges.map(([value, name]) => h("option", { value, selected: value === hours }, name))));
  const open = data.open_exceptions[0]?.count ?? 0;
  return [
    head("Overview", range),
    h("div", { class: "stack" },
      h("div", { class: "tiles" },
        tile("", data.machines, "machines", "/machines"),
        tile("ask", data.silent, "silent for two hours", "/machines?silent=1"),
        tile("deny", sum("deny"), "refused", `/executions?verdict=deny&from=${data.from}`),
        tile("monitor", sum("monitored"), "would have been refused", `/executions?monitored=1&from=${data.from}`),
        tile("", sum("failed"), "hooks that failed", `/executions?failed=1&from=${data.from}`),
        tile("ask", open, "exceptions asked for", "/exceptions")),
      panel("Refusals over time", null, sum("all") ? bars(data) : empty("Nothing was recorded in this time. A machine sends its journal with each sync:", "belay team sync")),
      h("div", { class: "columns" },
        panel("Busiest rules", null, rules(data, data.from)),
        h("div", { class: "stack" },
          panel("In force", null, rollout(data)),
          panel("Machines by set", null, data.versions.length ? table([
            ["Set", (row) => (row.version ? `Version ${row.version}` : "none yet")],
            ["Machines", (row) => count(row.machines), "number named"],
          ], data.versions, "Machines by set") : empty("No machine has come yet.", "belay team login"))))),
  ];
}
