// app.js: the link's token for a session, the frame, and which page is shown.
import { h, head, confirm } from "./dom.js";
import { always, get, post, remove, Refused } from "./api.js";
import { overview } from "./page_overview.js";
import { hooks } from "./page_hooks.js";
import { rules } from "./page_rules.js";
import { log } from "./page_log.js";
import { trial } from "./page_try.js";

const pages = [
  ["/", "Overview", overview],
  ["/hooks", "Hooks and trust", hooks],
  ["/rules", "Rules", rules],
  ["/log", "Log", log],
  ["/try", "Try", trial],
];

const main = document.getElementById("main");
const top = document.getElementById("top");
let me = null;
let leave_page = null;
let shown = 0;

/** A page for those who are not, or no longer, in. */
function outside(title, ...words) {
  leave_page?.();
  leave_page = null;
  top.hidden = true;
  document.body.className = "outside";
  document.title = `${title} - belay`;
  main.replaceChildren(h("div", { class: "sign-in" },
    h("div", { class: "brand" }, h("span", { class: "mark", "aria-hidden": "true" }), "belay"),
    h("h1", {}, title), ...words.map((text) => h("p", {}, text)),
    h("p", { class: "muted" }, "In a terminal, in your project:"), h("p", { class: "secret" }, "belay ui")));
  main.focus();
}

const over = () => outside("belay ui has ended", "Nothing is served any more, and this page can be closed.");

/** {key}: with the key of an earlier page, or in exchange for the link's token. */
async function begin() {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname + location.search);
  always["X-Belay-Key"] = localStorage.getItem("key") ?? "";
  try {
    return await get("/api/me");
  } catch (error) {
    if (!(error instanceof Refused) || !/^[0-9a-f]{64}$/.test(token)) throw error;
  }
  const { key } = await post("/api/session", { token });
  localStorage.setItem("key", key);
  always["X-Belay-Key"] = key;
  return get("/api/me");
}

function draw_frame() {
  document.body.className = "";
  top.hidden = false;
  const project = document.getElementById("project");
  project.textContent = me.project.split("/").pop() || "/";
  project.title = me.project;
  document.getElementById("version").textContent = `belay ${me.version}`;
  document.getElementById("nav").replaceChildren(...pages.map(([path, name]) =>
    h("li", {}, h("a", { href: path, "aria-current": path === location.pathname && "page" }, name))));
  document.querySelector("#nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

function failed(page, error) {
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) over();
  else if (error instanceof Refused && error.status === 401) outside("This page is not signed in", "Open the link that belay ui printed in the same browser.");
  else main.replaceChildren(head(page[1]), h("p", { class: "note bad", role: "alert" }, error.message), h("p", {}, h("button", { type: "button", onclick: show }, "Try again")));
}

async function show() {
  const page = pages.find(([path]) => path === location.pathname);
  const turn = ++shown;
  leave_page?.();
  leave_page = null;
  draw_frame();
  if (!page) {
    main.replaceChildren(head("Not found"), h("p", {}, "There is no such page."));
    return;
  }
  try {
    const view = await page[2]({ me, query: new URLSearchParams(location.search), go, again: show, over, on_leave: (f) => { if (turn === shown) leave_page = f; else f(); } });
    if (turn === shown) main.replaceChildren(...view);
  } catch (error) {
    if (turn === shown) failed(page, error);
  }
}

/** Goes to a page without loading everything again. */
function go(path, replace) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  return show();
}

async function start() {
  try {
    me = await begin();
  } catch (error) {
    localStorage.removeItem("key");
    if (error instanceof Refused) outside(error.status === 401 ? "Open the link of belay ui" : "This link does not work", error.status === 401 ? "belay ui prints a link in the terminal that is good once. This page was opened without it." : error.message);
    else over();
    return;
  }
  await show();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.getAttribute("href")).then(() => main.focus());
});
document.getElementById("leave").addEventListener("click", async () => {
  if (!(await confirm("End belay ui?", "The program stops and these pages with it. Nothing else changes: belay goes on guarding.", "End it"))) return;
  await remove("/api/session").catch(() => {});
  localStorage.removeItem("key");
  over();
});
addEventListener("popstate", show);
start();
