// page_hooks.js: the draft: hooks and policies, checked as they are typed, compared before they become a set.
import { h, head, panel, empty, dialog, confirm, toast, verdict } from "./dom.js";
import { get, post, put, remove } from "./api.js";
import { editor } from "./editor.js";
import { diff } from "./diff.js";

const steps = ["beforeSubmitPrompt", "beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution", "beforeReadFile", "afterFileEdit", "beforeTabFileRead", "afterTabFileEdit", "afterAgentResponse", "afterAgentThought", "stop"];
const systems = [["Linux", "Linux"], ["Macintosh", "macOS"], ["Windows", "Windows"]];
const new_hook = { step: "beforeShellExecution", name: "", systems: [], active: true, content: "#!/bin/sh\n# The event is on standard input, as JSON.\necho '{\"permission\": \"allow\"}'\n" };
const new_policy = "# METADATA\n# scope: package\n# title: Example\n# custom:\n#   routing:\n#     required_events: [PreToolUse]\n#     required_tools: [Bash]\npackage belay.policies.example\n\nimport rego.v1\n\ndeny contains decision if {\n\tcontains(input.tool_input.command, \"example-command\")\n\tdecision := {\"rule_id\": \"EXAMPLE-1\", \"reason\": \"Say why, and what to do instead\", \"severity\": \"HIGH\"}\n}\n";

const wait = (ms, f) => {
  let timer;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => f(...given), ms); };
};

function list_findings(findings, place, text) {
  place.replaceChildren(...(findings.length ? findings.map((finding) => h("li", {}, h("button", { type: "button", onclick: () => text?.go(finding.line, finding.column) },
    h("span", { class: `state ${finding.severity === "error" ? "deny" : "ask"}` }, finding.severity),
    h("span", {}, `${finding.file}${finding.line ? `:${finding.line}` : ""}: ${finding.message}`)))) : [h("li", { class: "state good" }, "no findings")]));
}

/** Fields of a hook beside its script; read() gives them back. */
function hook_fields(hook) {
  const name = h("input", { value: hook.name, required: true, class: "mono", placeholder: "guard.sh", autocomplete: "off" });
  const step = h("select", {}, steps.map((value) => h("option", { value, selected: value === hook.step }, value)));
  const boxes = systems.map(([value]) => h("input", { type: "checkbox", checked: hook.systems.includes(value) }));
  const active = h("input", { type: "checkbox", checked: hook.active });
  return {
    element: h("div", { class: "row" }, h("label", {}, "Script", name), h("label", {}, "Runs at", step),
      h("fieldset", { class: "row", "aria-label": "Systems; none means all" }, systems.map(([, word], i) => h("label", { class: "inline" }, boxes[i], word))),
      h("label", { class: "inline" }, active, "active")),
    read: () => ({ name: name.value, step: step.value, active: active.checked, systems: systems.filter((_, i) => boxes[i].checked).map(([value]) => value) }),
  };
}

/** What the draft's policies say of a command, or of those that machines sent lately. */
function try_out() {
  const command = h("input", { class: "mono", required: true, autocomplete: "off", spellcheck: "false", placeholder: "git push --force origin main" });
  const place = h("div", { "aria-live": "polite", class: "stack" });
  const row = (one) => h("li", {}, h("div", { class: "row" }, one.before && verdict({ verdict: one.before }), one.before && h("span", { "aria-label": "and now" }, "→"), verdict(one), h("code", {}, one.command)), one.reason && h("p", { class: "muted" }, one.reason));
  const ask = async (body) => {
    place.replaceChildren(h("p", { class: "muted" }, "Trying ..."));
    try {
      const { tried } = await post("/api/draft/try", body);
      const changed = body.command ? tried : tried.filter((one) => one.before !== one.verdict);
      const note = body.command ? [] : [h("p", { class: "note" }, `${tried.length} commands of late; ${changed.length} would be decided in another way.`)];
      place.replaceChildren(...note, h("ul", { class: "findings" }, changed.map(row)));
    } catch (error) {
      place.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message));
    }
  };
  const box = dialog("Try the draft's policies", h("p", { class: "muted" }, "Nothing is run: not the command, no hook, no signal."),
    h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); ask({ command: command.value }); } }, h("label", { class: "grow" }, "A command", command), h("button", { type: "submit", class: "main" }, "Try it")),
    h("div", { class: "row" }, h("button", { type: "button", onclick: () => ask({}) }, "Try what machines sent lately"), h("button", { type: "button", onclick: () => box.close() }, "Close")), place);
}

async function review(draft, go) {
  const { files } = await get("/api/draft/diff");
  const note = h("input", { placeholder: "What changes, in a sentence", autocomplete: "off" });
  const bad = h("p", { class: "note bad", role: "alert", hidden: true });
  const box = dialog("Make a set of this draft",
    files.length ? h("div", {}, files.map(diff)) : h("p", { class: "muted" }, "The draft is the same as the set in force."),
    !draft.is_good && h("p", { class: "note bad" }, "The draft has errors; they have to go first."), bad,
    h("form", { class: "fields", onsubmit: async (event) => {
      event.preventDefault();
      try {
        await post("/api/sets", { note: note.value });
        box.close();
        go("/sets");
      } catch (error) {
        bad.textContent = error.message;
        bad.hidden = false;
      }
    } }, h("label", {}, "Note", note),
    h("div", { class: "row" }, h("button", { type: "submit", class: "main", disabled: !draft.is_good || !files.length }, "Make the set"), h("button", { type: "button", onclick: () => box.close() }, "Cancel"))));
}

function files_of(draft, open, choose) {
  const item = (key, name, note) => h("li", {}, h("button", { type: "button", "aria-current": key === open && "true", onclick: () => choose(key) }, h("span", {}, name), note && h("span", { class: "muted" }, note)));
  return h("nav", { class: "panel flush files", "aria-label": "Files of the draft" },
    h("h2", {}, "Hooks"), h("ul", {}, draft.hooks.length ? draft.hooks.map((hook) => item(`hook:${hook.id}`, hook.name, hook.active ? null : "off")) : h("li", { class: "muted" }, "none")),
    h("h2", {}, "Policies"), h("ul", {}, draft.policies.length ? draft.policies.map((policy) => item(`policy:${policy.path}`, policy.path)) : h("li", { class: "muted" }, "none")));
}

function open_file(draft, key) {
  if (key === "new-hook") return { hook: { ...new_hook }, is_new: true };
  if (key === "new-policy") return { policy: { path: "policies/example.rego", content: new_policy }, is_new: true };
  if (key === "new-rulebook") return { policy: { path: "rulebook.yml", content: "level: standard\n" }, is_new: true };
  const hook = draft.hooks.find((one) => `hook:${one.id}` === key);
  const policy = draft.policies.find((one) => `policy:${one.path}` === key);
  return hook ? { hook } : policy ? { policy } : null;
}

function work_on(file, draft, may_edit, go) {
  const path = file.policy && h("input", { value: file.policy.path, class: "mono", readonly: !file.is_new, autocomplete: "off" });
  const fields = file.hook && hook_fields(file.hook);
  const findings = h("ul", { class: "findings", "aria-live": "polite" });
  const save = h("button", { type: "button", class: "main", disabled: !may_edit }, "Save");
  let running = null;
  const check = wait(300, async () => {
    if (!file.policy || !may_edit) return;
    running?.abort();
    running = new AbortController();
    try {
      const answer = await post("/api/draft/check", { path: path.value, content: text.value }, { signal: running.signal });
      list_findings(answer.findings, findings, text);
      text.mark(answer.findings.filter((finding) => finding.file === path.value));
    } catch (error) {
      if (error.name !== "AbortError") list_findings([{ severity: "error", file: path.value, message: error.message }], findings, text);
    }
  });
  const text = editor({ text: (file.hook ?? file.policy).content, name: file.hook ? "script.sh" : file.policy.path, readonly: !may_edit, onchange: check });
  list_findings(draft.findings, findings, text);
  save.addEventListener("click", async () => {
    try {
      if (file.policy) await put("/api/draft/policies", { path: path.value, content: text.value });
      else if (file.is_new) await post("/api/draft/hooks", { ...fields.read(), content: text.value });
      else await put(`/api/draft/hooks/${file.hook.id}`, { ...fields.read(), content: text.value });
      toast("Saved in the draft. Machines have it once it is a set and rolled out.");
      go(file.policy ? `/hooks?file=${encodeURIComponent(`policy:${path.value}`)}` : "/hooks", true);
    } catch (error) {
      list_findings([{ severity: "error", file: file.policy ? path.value : "hook", message: error.message }], findings, text);
    }
  });
  const drop = async () => {
    const name = file.hook?.name ?? file.policy.path;
    if (!(await confirm(`Remove ${name}`, "It leaves the draft; sets that are signed keep it.", "Remove"))) return;
    try {
      await remove(file.hook ? `/api/draft/hooks/${file.hook.id}` : `/api/draft/policies?path=${encodeURIComponent(name)}`);
      go("/hooks");
    } catch (error) {
      toast(error.message);
    }
  };
  return h("section", { class: "panel", "aria-label": "Editor" }, h("div", { class: "stack" },
    fields?.element ?? h("label", {}, "Path", path), text.element,
    h("div", { class: "row" }, save, !file.is_new && may_edit && h("button", { type: "button", class: "danger", onclick: drop }, "Remove"))), findings);
}

export async function hooks({ me, query, go }) {
  const draft = await get("/api/draft");
  const may_edit = me.role === "admin" || me.role === "editor";
  const first = draft.policies[0] ? `policy:${draft.policies[0].path}` : draft.hooks[0] ? `hook:${draft.hooks[0].id}` : "";
  const key = query.get("file") ?? first;
  const choose = (next) => go(`/hooks?file=${encodeURIComponent(next)}`);
  const file = open_file(draft, key);
  const has_rulebook = draft.policies.some((policy) => policy.path === "rulebook.yml");
  return [
    head("Hooks and policies",
      may_edit && h("button", { type: "button", onclick: () => choose("new-hook") }, "New hook"),
      may_edit && h("button", { type: "button", onclick: () => choose("new-policy") }, "New policy"),
      may_edit && !has_rulebook && h("button", { type: "button", onclick: () => choose("new-rulebook") }, "New rulebook"),
      may_edit && h("button", { type: "button", onclick: try_out }, "Try"),
      may_edit && h("button", { type: "button", class: "main", onclick: () => review(draft, go).catch((error) => toast(error.message)) }, "Review the changes")),
    h("div", { class: "workbench" }, files_of(draft, key, choose),
      file ? work_on(file, draft, may_edit, go) : panel("Nothing here yet", null, empty("A rulebook with a level is the quickest start: it turns on belay's own rules for every machine."))),
  ];
}
