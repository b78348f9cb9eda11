// app.js: signing in, and the pages.
import { h, toast } from "./dom.js";
import { get, post, remove, Refused } from "./api.js";
import { enter, outside } from "./frame.js";
import { overview } from "./page_overview.js";
import { machines } from "./page_machines.js";
import { hooks } from "./page_hooks.js";
import { sets } from "./page_sets.js";
import { executions } from "./page_executions.js";
import { exceptions } from "./page_exceptions.js";
import { audit } from "./page_audit.js";
import { tokens } from "./page_tokens.js";
import { device } from "./page_device.js";

const pages = [
  ["/", "Overview", overview],
  ["/machines", "Machines", machines],
  ["/hooks", "Hooks and policies", hooks],
  ["/sets", "Sets", sets],
  ["/executions", "Executions", executions],
  ["/exceptions", "Exceptions", exceptions],
  ["/audit", "Audit", audit],
  ["/tokens", "Tokens", tokens, ["admin", "auditor"]],
  ["/device", "Add a machine", device, ["admin", "editor"]],
];

function sign_in(message) {
  const token = h("input", { type: "password", autocomplete: "current-password", required: true, class: "mono", id: "token" });
  const note = h("p", { class: "note bad", role: "alert", hidden: !message }, message ?? "");
  const provider = h("p", { hidden: true }, h("a", { class: "button", href: "/auth/login", rel: "external" }, "Sign in with your company's account"));
  get("/api/ways").then((ways) => { provider.hidden = !ways.provider; }, () => {});
  outside("Sign in",
    h("h1", {}, "Sign in to belay"),
    h("form", { class: "fields", onsubmit: async (event) => {
      event.preventDefault();
      try {
        await post("/api/session", { token: token.value });
        start();
      } catch (error) {
        note.textContent = error.message;
        note.hidden = false;
        token.select();
      }
    } }, h("label", {}, "Your token", token), note, h("button", { class: "main", type: "submit" }, "Sign in")),
    provider,
    h("p", { class: "muted" }, "An administrator makes tokens on the page Tokens; the first one was printed when the server first started."));
  token.focus();
}

/** Has the person sign in again, if the session is over. */
function failed(error) {
  const is_over = error instanceof Refused && error.status === 401;
  if (is_over) sign_in("Your session is over.");
  return is_over;
}

async function start() {
  let me;
  try {
    me = await get("/api/me");
  } catch (error) {
    sign_in(error.status === 401 ? undefined : error.message);
    return;
  }
  document.getElementById("team").textContent = me.team_id;
  document.getElementById("person").textContent = `${me.name}, ${me.role}`;
  await enter(pages, { me }, failed);
}

document.getElementById("leave").addEventListener("click", async () => {
  try {
    await remove("/api/session");
  } catch (error) {
    toast(error.message);
  }
  sign_in();
});
start();
