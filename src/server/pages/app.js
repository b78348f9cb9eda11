// app.js: signing in, the frame, and which page is shown.
import { h, head, toast } from "./dom.js";
import { get, post, remove, Refused } from "./api.js";
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

const main = document.getElementById("main");
const top = document.getElementById("top");
let me = null;
let leave_page = null;

function sign_in(message) {
  me = null;
  top.hidden = true;
  document.body.className = "outside";
  document.title = "Sign in - belay";
  const token = h("input", { type: "password", autocomplete: "current-password", required: true, class: "mono", id: "token" });
  const note = h("p", { class: "note bad", role: "alert", hidden: !message }, message ?? "");
  const provider = h("p", { hidden: true }, h("a", { class: "button", href: "/auth/login", rel: "external" }, "Sign in with your company's account"));
  get("/api/ways").then((ways) => { provider.hidden = !ways.provider; }, () => {});
  main.replaceChildren(h("div", { class: "sign-in" },
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
    h("p", { class: "muted" }, "An administrator makes tokens on the page Tokens; the first one was printed when the server first started.")));
  token.focus();
}

function draw_frame() {
  document.body.className = "";
  top.hidden = false;
  document.getElementById("team").textContent = me.team_id;
  document.getElementById("person").textContent = `${me.name}, ${me.role}`;
  document.getElementById("nav").replaceChildren(...pages.filter(([, , , roles]) => !roles || roles.includes(me.role)).map(([path, name]) =>
    h("li", {}, h("a", { href: path, "aria-current": path === location.pathname && "page" }, name))));
  document.querySelector("#nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

async function show() {
  const page = pages.find(([path]) => path === location.pathname);
  leave_page?.();
  leave_page = null;
  draw_frame();
  if (!page) {
    main.replaceChildren(head("Not found"), h("p", {}, "There is no such page."));
    return;
  }
  try {
    const view = await page[2]({ me, query: new URLSearchParams(location.search), go, again: show, on_leave: (f) => { leave_page = f; } });
    main.replaceChildren(...view);
  } catch (error) {
    if (error instanceof Refused && error.status === 401) sign_in("Your session is over.");
    else main.replaceChildren(head(page[1]), h("p", { class: "note bad", role: "alert" }, error.message), h("p", {}, h("button", { type: "button", onclick: show }, "Try again")));
  }
}

/** Goes to a page without loading everything again. */
function go(path, replace) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  return show();
}

async function start() {
  try {
    me = await get("/api/me");
  } catch (error) {
    sign_in(error.status === 401 ? undefined : error.message);
    return;
  }
  await show();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']");
  if (!link || link.rel === "external" || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.getAttribute("href")).then(() => main.focus());
});
document.getElementById("leave").addEventListener("click", async () => {
  try {
    await remove("/api/session");
  } catch (error) {
    toast(error.message);
  }
  sign_in();
});
addEventListener("popstate", show);
start();
