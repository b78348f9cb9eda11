// page_hooks.js: hooks by source, what is wrong with them, and which workspaces are trusted.
import { h, head, panel, table, empty, ago, confirm, toast } from "./dom.js";
import { get, post } from "./api.js";

const sources = [
  ["enterprise", "Enterprise", "set by the owner of this machine"],
  ["team", "Team", "fetched and verified by belay team sync"],
  ["project", "Project", "from the repository; they run once you trust it"],
  ["user", "You", "your own, in all projects"],
];

const states = {
  loaded: ["good", "in force"], missing: ["", "no file"], broken: ["deny", "not usable"], unsafe: ["deny", "not safe"],
  untrusted: ["ask", "waits for trust"], changed: ["ask", "changed since it was trusted"], gated: ["", "switched off"],
};

const state = (name) => h("span", { class: `state ${states[name]?.[0] ?? ""}` }, states[name]?.[1] ?? name);

async function set_trust(again, body, done) {
  try {
    await post("/api/trust", body);
    toast(done);
  } catch (error) {
    toast(error.message);
  }
  await again();
}

async function add(file, hooks, again) {
  const commands = [...new Set(hooks.map((hook) => hook.command ?? hook.url ?? hook.step))];
  const text = h("span", {}, "These programs will run as you, each time the agent reaches their event:",
    h("span", { class: "programs" }, commands.map((name) => h("code", {}, name))), "Trust holds for the files as they are now. When they change, they wait for you again.");
  if (await confirm("Trust this workspace?", text, "Trust it")) await set_trust(again, { workspace: file.workspace, trust: true }, "Trusted: its hooks run from now on.");
}

async function take_away(workspace, again) {
  if (await confirm("Trust it no longer?", `The hooks of ${workspace} do not run any more. What its guards would have judged, you are asked about.`, "Remove trust"))
    await set_trust(again, { workspace, trust: false }, "No longer trusted.");
}

function finding(one) {
  return h("li", {}, h("span", { class: `state ${one.severity === "error" ? "deny" : one.severity === "warning" ? "ask" : ""}` }, one.severity),
    h("span", {}, one.message, one.hint && h("span", { class: "sub" }, one.hint), one.line && h("span", { class: "sub mono" }, `${one.file}:${one.line}:${one.column}`)));
}

function hook_table(hooks, label) {
  const reasons = new Set(hooks.map((hook) => hook.why));
  return table([
    ["Event", (hook) => h("span", { class: "mono" }, hook.step)],
    ["Runs", (hook) => h("span", { class: `state ${hook.runs ? "good" : "ask"}` }, hook.runs ? "yes" : "no")],
    ["What", (hook) => h("div", {}, h("code", {}, hook.command ?? hook.url ?? hook.type ?? ""), !hook.runs && hook.why && reasons.size > 1 && h("span", { class: "sub" }, hook.why)), "wide text"],
    ["When", (hook) => hook.matcher ? h("code", {}, hook.matcher) : "", "named text"],
    ["At most", (hook) => (hook.timeout_ms ? `${hook.timeout_ms / 1000} s` : ""), "named number"],
    ["If it fails", (hook) => (hook.fail_closed ? "refused" : "goes on"), "named"],
  ], hooks, label);
}

function file_block(file, data, again) {
  const hooks = data.hooks.filter((hook) => hook.file === file.path);
  const findings = data.findings.filter((one) => one.file === file.path);
  const waits = ["untrusted", "changed"].includes(file.state);
  return h("div", { class: "file" },
    h("div", { class: "file-head" }, h("span", { class: "path" }, file.path), state(file.state), h("span", { class: "space" }),
      file.workspace && waits && h("button", { type: "button", class: "main", onclick: () => add(file, hooks, again) }, file.state === "changed" ? "Trust it again" : "Trust this workspace")),
    findings.length > 0 && h("ul", { class: "problems" }, findings.map(finding)),
    !findings.length && file.why && file.state !== "loaded" && h("p", { class: "muted" }, file.why),
    hooks.length > 0 && h("div", { class: "scroll" }, hook_table(hooks, `Hooks of ${file.path}`)));
}

function source_panel([name, title, note], data, again) {
  const files = data.files.filter((file) => file.source === name);
  const hooks = data.hooks.filter((hook) => hook.source === name);
  return panel(title, note, files.some((file) => file.state !== "missing")
    ? files.filter((file) => file.state !== "missing").map((file) => file_block(file, data, again))
    : h("p", { class: "muted" }, hooks.length ? "" : "No hooks: ", files.map((file) => h("span", { class: "path" }, file.path)), files.length === 0 && "no place is looked at."));
}

function trusted(records, again) {
  if (!records.length) return empty("No workspace is trusted. Hooks of a repository do not run before it is.");
  return table([
    ["Workspace", (row) => h("span", { class: "path" }, row.workspace), "wide text"],
    ["How", (row) => (row.mode === "folder" ? "whatever it holds" : `${row.files.length} ${row.files.length === 1 ? "file" : "files"} as they were`)],
    ["Pinned", (row) => (row.files.length ? h("details", {}, h("summary", {}, "show"), h("ul", { class: "paths" }, row.files.map((path) => h("li", { class: "path" }, path)))) : ""), "text"],
    ["Since", (row) => ago(Date.parse(row.added))],
    ["Change", (row) => h("button", { type: "button", class: "danger", "aria-label": `Remove trust of ${row.workspace}`, onclick: () => take_away(row.workspace, again) }, "Remove")],
  ], records, "Trusted workspaces");
}

export async function hooks({ again, query, go }) {
  const profile = query.get("profile") === "cursor-2.3" ? "cursor-2.3" : "cursor";
  const [{ answer: data }, { answer: records }] = await Promise.all([get(`/api/ask/hooks?profile=${profile}`), get("/api/ask/trust")]);
  const choice = h("label", { class: "inline" }, "As read by", h("select", { onchange: (event) => go(`/hooks?profile=${event.target.value}`) },
    [["cursor", "Cursor"], ["cursor-2.3", "Cursor 2.3"]].map(([value, name]) => h("option", { value, selected: value === profile }, name))));
  return [
    head("Hooks and trust", choice),
    h("div", { class: "stack" },
      sources.map((source) => source_panel(source, data, again)),
      panel("Trusted workspaces", "their hooks run; pinned to the content of their files", h("div", { class: records.length ? "scroll" : "" }, trusted(records, again)))),
  ];
}
