// page_machines.js: every machine: what it should have and what it has.
import { h, head, table, empty, ago, dialog, confirm, toast } from "./dom.js";
import { get, put, remove } from "./api.js";

const kinds = { current: "good", not_modified: "good", enrolled: "monitor", unreachable: "ask", stale: "ask", too_old: "deny", tampered: "deny", signature_invalid: "deny", wrong_key: "deny", rolled_back: "deny" };

function labels_of(machine, again) {
  const input = h("input", { value: machine.labels.join(" "), autocomplete: "off" });
  const box = dialog(`Labels of ${machine.name}`, h("form", { class: "fields", onsubmit: async (event) => {
    event.preventDefault();
    try {
      await put(`/api/machines/${machine.id}`, { labels: input.value.split(/\s+/).filter(Boolean) });
      box.close();
      again();
    } catch (error) {
      toast(error.message);
    }
  } }, h("label", {}, "Labels, separated by blanks", input), h("p", { class: "muted" }, "They count from the machine's next sync on."), h("div", { class: "row" }, h("button", { class: "main", type: "submit" }, "Save"), h("button", { type: "button", onclick: () => box.close() }, "Cancel"))));
}

async function take_away(machine, again) {
  if (!(await confirm(`Remove ${machine.name}`, "Its token is revoked at once. Its records stay.", "Remove", machine.name))) return;
  try {
    await remove(`/api/machines/${machine.id}`);
    again();
  } catch (error) {
    toast(error.message);
  }
}

export async function machines({ me, query, go, again }) {
  const silent = query.get("silent") === "1";
  const { machines: list } = await get(`/api/machines${silent ? "?silent=1" : ""}`);
  const may_edit = me.role === "admin" || me.role === "editor";
  const filter = h("label", { class: "inline" }, h("input", { type: "checkbox", checked: silent, onchange: (event) => go(event.target.checked ? "/machines?silent=1" : "/machines") }), "only silent ones");
  const columns = [
    ["Machine", (row) => h("div", {}, h("a", { href: `/executions?machine=${row.id}` }, row.name), h("span", { class: "sub" }, [row.system, row.client && `belay ${row.client}`].filter(Boolean).join(", ")))],
    ["State", (row) => h("span", { class: `state ${kinds[row.state] ?? ""}`, title: row.state_text }, row.state.replaceAll("_", " "))],
    ["Labels", (row) => h("span", {}, row.labels.map((label) => h("span", { class: "badge" }, label)))],
    ["Set", (row) => (row.set_version ? `Version ${row.set_version}` : "none yet"), ""],
    ["Last seen", (row) => ago(row.last_seen)],
  ];
  if (may_edit) columns.push(["Actions", (row) => h("div", { class: "row" },
    h("button", { type: "button", class: "plain", onclick: () => labels_of(row, again), "aria-label": `Labels of ${row.name}` }, "Labels"),
    me.role === "admin" && h("button", { type: "button", class: "plain", onclick: () => take_away(row, again), "aria-label": `Remove ${row.name}` }, "Remove"))]);
  return [
    head("Machines", filter),
    h("section", { class: "panel flush", "aria-label": "Machines" }, list.length ? table(columns, list, "Machines")
      : empty(silent ? "Every machine was heard of in the last two hours." : "No machine has come yet. Make an enrolment token, then on the machine:", silent ? undefined : `belay team login ${location.origin} --enrol`)),
  ];
}
