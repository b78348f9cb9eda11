// page_tokens.js: who may come in.
import { h, head, panel, table, ago, dialog, confirm, toast } from "./dom.js";
import { get, post, put, remove } from "./api.js";

const kinds = { p: "person", m: "machine", e: "enrolment" };

function show_secret(answer, is_enrolment, again) {
  const text = `belay team login ${location.origin} --enrol`;
  const box = dialog("The token, shown only now", h("p", { class: "secret", tabindex: "0" }, answer.token),
    is_enrolment && h("p", {}, "On the machine run ", h("code", {}, text), " and paste it there."),
    h("div", { class: "row" }, h("button", { type: "button", onclick: () => navigator.clipboard?.writeText(answer.token).then(() => toast("Copied.")) }, "Copy"), h("button", { type: "button", class: "main", onclick: () => box.close() }, "Done")));
  box.addEventListener("close", again);
}

function make(again) {
  const name = h("input", { required: true, maxlength: 128, autocomplete: "off" });
  const kind = h("select", {}, h("option", { value: "enrolment" }, "machine, by enrolment"), h("option", { value: "person" }, "person"));
  const role = h("select", {}, ["auditor", "editor", "admin"].map((value) => h("option", { value }, value)));
  const uses = h("input", { type: "number", min: 1, max: 100000, value: 1 });
  const days = h("input", { type: "number", min: 1, max: 3650, value: 1 });
  const labels = h("input", { autocomplete: "off" });
  const bad = h("p", { class: "note bad", role: "alert", hidden: true });
  const of_person = h("label", { hidden: true }, "Role", role);
  const of_machine = h("div", { class: "row" }, h("label", {}, "Machines", uses), h("label", { class: "grow" }, "Labels, separated by blanks", labels));
  kind.addEventListener("change", () => {
    of_person.hidden = kind.value !== "person";
    of_machine.hidden = kind.value === "person";
    days.value = kind.value === "person" ? 90 : 1;
  });
  const box = dialog("New token", bad, h("form", { class: "fields", onsubmit: async (event) => {
    event.preventDefault();
    const is_person = kind.value === "person";
    try {
      const answer = await post("/api/tokens", { kind: kind.value, name: name.value, days: Number(days.value), ...(is_person ? { role: role.value } : { uses: Number(uses.value), labels: labels.value.split(/\s+/).filter(Boolean) }) });
      box.close();
      show_secret(answer, !is_person, again);
    } catch (error) {
      bad.textContent = error.message;
      bad.hidden = false;
    }
  } }, h("label", {}, "For a", kind), h("label", {}, "Name", name), of_person, of_machine, h("label", {}, "Days until it expires", days),
  h("div", { class: "row" }, h("button", { type: "submit", class: "main" }, "Make the token"), h("button", { type: "button", onclick: () => box.close() }, "Cancel"))));
}

function state_of(row) {
  if (row.revoked) return h("span", { class: "state deny" }, "revoked");
  if (row.expires && row.expires < Date.now()) return h("span", { class: "state" }, "expired");
  if (row.uses_left === 0) return h("span", { class: "state" }, "used");
  return h("span", { class: "state good" }, row.uses_left ? `good for ${row.uses_left}` : "good");
}

/** People who came by the company's sign-in, and their roles. */
function people_panel(people, me, again) {
  const change = async (person, role) => {
    try {
      await put(`/api/people/${person.id}`, { role });
      toast(`${person.name}: ${role}. Sessions that were open are over.`);
    } catch (error) {
      toast(error.message);
    }
    again();
  };
  return panel("People", "by the company's sign-in", table([
    ["Person", (row) => h("div", {}, h("b", {}, row.name), h("span", { class: "sub" }, row.email || row.subject))],
    ["Role", (row) => (me.role === "admin" ? h("select", { "aria-label": `Role of ${row.name}`, onchange: (event) => change(row, event.target.value) },
      ["none", "auditor", "editor", "admin"].map((role) => h("option", { value: role, selected: role === row.role }, role))) : row.role)],
    ["First came", (row) => ago(row.created)],
  ], people, "People"));
}

export async function tokens({ me, again }) {
  const [{ tokens: list }, { people }] = await Promise.all([get("/api/tokens"), get("/api/people")]);
  const revoke = async (row) => {
    if (!(await confirm(`Revoke ${row.name}`, "It stops working within a second, on every server.", "Revoke"))) return;
    try {
      await remove(`/api/tokens/${row.id}`);
      again();
    } catch (error) {
      toast(error.message);
    }
  };
  return [
    head("Tokens", me.role === "admin" && h("button", { type: "button", class: "main", onclick: () => make(again) }, "New token")),
    h("div", { class: "stack" }, people.length > 0 && people_panel(people, me, again),
    h("section", { class: "panel flush", "aria-label": "Tokens" }, table([
      ["Token", (row) => h("div", {}, h("b", {}, row.name), h("span", { class: "sub mono" }, row.id))],
      ["State", state_of],
      ["Kind", (row) => `${kinds[row.kind] ?? row.kind}${row.kind === "p" ? `, ${row.role}` : ""}`],
      ["Made", (row) => h("div", {}, ago(row.created), h("span", { class: "sub" }, `by ${row.created_by}`))],
      ["Expires", (row) => (row.expires ? ago(row.expires) : h("span", { class: "muted" }, "never")), "named"],
      ["Actions", (row) => me.role === "admin" && !row.revoked && h("button", { type: "button", class: "plain", onclick: () => revoke(row), "aria-label": `Revoke ${row.name}` }, "Revoke")],
    ], list, "Tokens"))),
  ];
}
