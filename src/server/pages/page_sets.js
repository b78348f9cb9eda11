// page_sets.js: signed sets, and which machines take which.
import { h, head, panel, table, empty, ago, dialog, toast } from "./dom.js";
import { get, post, put_text } from "./api.js";

function roll_out(set, has_other, again) {
  const percent = h("input", { type: "number", min: 0, max: 100, value: 100, required: true });
  const label = h("input", { autocomplete: "off", placeholder: "all machines" });
  const bad = h("p", { class: "note bad", role: "alert", hidden: true });
  const box = dialog(`Roll out version ${set.version}`,
    h("p", {}, has_other ? "The other machines keep the set that is in force. A roll-out to a part stops by itself when its machines are refused, or fail, much more than the others." : "It is the first one, so all machines take it."),
    bad, h("form", { class: "fields", onsubmit: async (event) => {
      event.preventDefault();
      try {
        await post("/api/rollout", { version: set.version, percent: Number(percent.value), label: label.value.trim() });
        box.close();
        toast(`Version ${set.version} is rolled out. Machines take it at their next sync, within half an hour.`);
        again();
      } catch (error) {
        bad.textContent = error.message;
        bad.hidden = false;
      }
    } },
    h("div", { class: "row" }, h("label", {}, "Share of machines, %", percent), h("label", { class: "grow" }, "Only machines with the label", label)),
    h("div", { class: "row" }, h("button", { type: "submit", class: "main" }, "Roll out"), h("button", { type: "button", onclick: () => box.close() }, "Cancel"))));
}

function state_of(set, rows) {
  const row = rows.find((one) => one.version === set.version);
  if (!set.signed) return h("span", { class: "state ask" }, "not signed");
  if (!row) return h("span", { class: "state" }, "signed");
  if (row.state !== "active") return h("span", { class: "state deny" }, row.state);
  return h("span", { class: "state good" }, row.place && rows.length > 1 ? "the others" : row.share === 10000 && !row.label ? "in force" : `${row.share / 100} %${row.label ? ` of ${row.label}` : ""}`);
}

/** The document goes to where the key is, and comes back signed. */
function signature_wanted(set, may, again) {
  const file = h("input", { type: "file", onchange: async () => {
    try {
      await put_text(`/api/sets/${set.version}/document`, await file.files[0].text());
      toast(`Version ${set.version} is signed.`);
      again();
    } catch (error) {
      toast(error.message);
      file.value = "";
    }
  } });
  return h("div", { class: "note warn" }, h("div", { class: "stack" },
    h("p", {}, `Version ${set.version} waits for a signature. Take its document to where the key is, sign it with `, h("code", {}, `belay team sign --key set.key set-${set.version}.json`), ", and bring it back."),
    h("div", { class: "row" }, h("a", { class: "button", href: `/api/sets/${set.version}/document`, download: `set-${set.version}.json`, onclick: (event) => event.stopPropagation() }, "Get the document"),
      may && h("label", {}, "The signed document", file))));
}

export async function sets({ me, again }) {
  const [{ sets: list }, { rollout }] = await Promise.all([get("/api/sets"), get("/api/rollout")]);
  const in_force = rollout.filter((row) => row.state === "active").at(-1)?.version ?? 0;
  const unsigned = list.find((set) => !set.signed);
  const may = me.role === "admin";
  return [
    head("Sets", h("a", { class: "button", href: "/hooks" }, "To the draft")),
    h("div", { class: "stack" },
      unsigned && signature_wanted(unsigned, may, again),
      list.length ? h("section", { class: "panel flush", "aria-label": "Sets" }, table([
        ["Set", (set) => h("div", {}, h("b", {}, `Version ${set.version}`), h("span", { class: "sub" }, set.note || "without a note"))],
        ["State", (set) => state_of(set, rollout)],
        ["Files", (set) => set.files, "number named"],
        ["Made", (set) => h("div", {}, ago(set.created), h("span", { class: "sub" }, `by ${set.created_by}`))],
        ["Expires", (set) => ago(set.expires), "named"],
        ["Actions", (set) => may && set.signed && h("button", { type: "button", onclick: () => roll_out(set, in_force && in_force !== set.version, again), "aria-label": `Roll out version ${set.version}` }, set.version < in_force ? "Roll back to it" : "Roll out")],
      ], list, "Sets")) : panel("No set yet", null, empty("A set is a signed copy of the draft. Nothing reaches a machine without one."))),
  ];
}
