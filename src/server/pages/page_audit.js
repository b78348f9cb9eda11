// page_audit.js: who did what, as sentences, and whether the chain holds.
import { h, head, table, ago, toast } from "./dom.js";
import { get } from "./api.js";

const sentences = {
  "team.create": "made the team", "token.add": "made the token", "token.revoke": "revoked the token", "machine.enrol": "enrolled the machine", "machine.labels": "changed the labels of the machine", "machine.remove": "removed the machine",
  "hook.add": "added the hook", "hook.change": "changed the hook", "hook.remove": "removed the hook", "policy.change": "changed the policy", "policy.remove": "removed the policy",
  "set.prepare": "made the set", "set.sign": "signed the set", "rollout.set": "rolled out the set", "rollout.halt": "halted the roll-out of set", "root.add": "added the root",
  "person.role": "changed the role of the person", "session.begin": "signed in", "device.grant": "confirmed a device", "device.deny": "refused a device", "exception.grant": "granted the exception", "exception.refuse": "refused the exception",
};

export async function audit() {
  const { entries } = await get("/api/audit");
  const result = h("p", { class: "note", role: "status", hidden: true });
  const check = h("button", { type: "button", onclick: async () => {
    try {
      const answer = await get("/api/audit/check");
      result.className = `note ${answer.whole ? "good" : "bad"}`;
      result.textContent = answer.whole ? `The chain of ${answer.entries} entries holds. Its head: ${answer.head}` : `The chain is broken at entry ${answer.broken_at}: it, or one before it, is not what was written there.`;
      result.hidden = false;
    } catch (error) {
      toast(error.message);
    }
  } }, "Check the chain");
  return [
    head("Audit", check), h("div", { class: "stack" }, result,
      h("section", { class: "panel flush", "aria-label": "Audit trail" }, table([
        ["What happened", (row) => h("span", {}, h("b", {}, row.actor), ` ${sentences[row.action] ?? row.action} `, row.action !== "session.begin" && h("span", { class: "mono" }, row.target)), "text"],
        ["Details", (row) => h("span", { class: "mono muted" }, Object.entries(row.detail).map(([name, value]) => `${name} ${value}`).join(", ")), "text"],
        ["When", (row) => ago(row.at)],
        ["Entry", (row) => h("span", { class: "mono muted", title: row.hash }, `${row.seq} ${row.hash.slice(0, 8)}`)],
      ], entries, "Audit trail"))),
  ];
}
