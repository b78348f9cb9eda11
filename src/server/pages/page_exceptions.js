// page_exceptions.js: what people ask to be let pass.
import { h, head, table, empty, ago, toast } from "./dom.js";
import { get, post } from "./api.js";

const kinds = { asked: "ask", granted: "good", refused: "deny" };

export async function exceptions({ me, again }) {
  const { exceptions: list } = await get("/api/exceptions");
  const may = me.role === "admin" || me.role === "editor";
  const answer = async (row, word) => {
    try {
      await post(`/api/exceptions/${row.id}`, { answer: word });
      again();
    } catch (error) {
      toast(error.message);
    }
  };
  return [
    head("Exceptions"),
    h("div", { class: "stack" },
      h("p", { class: "muted" }, "A granted exception is a decision on record. Machines act on it once it is written into the rulebook of a set."),
      h("section", { class: "panel flush", "aria-label": "Exceptions" }, list.length ? table([
        ["Asked for", (row) => h("div", {}, h("span", { class: "mono" }, row.about), h("span", { class: "sub" }, row.reason)), "text wide"],
        ["Rule", (row) => h("span", { class: "mono" }, row.rule)],
        ["Machine", (row) => row.machine_name ?? row.machine],
        ["State", (row) => h("span", { class: `state ${kinds[row.state] ?? ""}` }, row.state)],
        ["When", (row) => ago(row.decided ?? row.asked)],
        ["Actions", (row) => may && row.state === "asked" && h("div", { class: "row" },
          h("button", { type: "button", onclick: () => answer(row, "grant"), "aria-label": `Grant ${row.about}` }, "Grant"), h("button", { type: "button", onclick: () => answer(row, "refuse"), "aria-label": `Refuse ${row.about}` }, "Refuse"))],
      ], list, "Exceptions") : empty("Nobody has asked for an exception."))),
  ];
}
