// frame.js: the frame around a page: which one is shown, and the links to the others.
import { h, head } from "./dom.js";

const main = document.getElementById("main");
const top = document.getElementById("top");
let pages = [];
let given = {};
let failed = () => false;
let leave_page = null;
let turns = 0;

/** Ends the page that is shown, or still loading.  Returns the turn of the next one. */
function leave() {
  leave_page?.();
  leave_page = null;
  turns += 1;
  return turns;
}

/** Shows a page without the frame to a person who has no session; the others wait for enter. */
export function outside(title, ...children) {
  leave();
  pages = [];
  top.hidden = true;
  document.body.className = "outside";
  document.title = `${title} - belay`;
  main.replaceChildren(h("div", { class: "sign-in" }, ...children));
}

function draw_links() {
  document.body.className = "";
  top.hidden = false;
  document.getElementById("nav").replaceChildren(...pages.filter(([, , , roles]) => !roles || roles.includes(given.me.role)).map(([path, name]) =>
    h("li", {}, h("a", { href: path, "aria-current": path === location.pathname && "page" }, name))));
  document.querySelector("#nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

/** Shows the page of the address. */
async function show() {
  if (!pages.length) return;
  const page = pages.find(([path]) => path === location.pathname);
  const turn = leave();
  draw_links();
  if (!page) {
    main.replaceChildren(head("Not found"), h("p", {}, "There is no such page."));
    return;
  }
  try {
    const view = await page[2]({ ...given, query: new URLSearchParams(location.search), go, again: show, on_leave: (f) => { if (turn === turns) leave_page = f; else f(); } });
    if (turn === turns) main.replaceChildren(...view);
  } catch (error) {
    if (turn === turns && !failed(error)) main.replaceChildren(head(page[1]), h("p", { class: "note bad", role: "alert" }, error.message), h("p", {}, h("button", { type: "button", onclick: show }, "Try again")));
  }
}

/** Goes to a page without loading everything again. */
function go(path, replace) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  return show();
}

/**
 * Shows the pages from now on.  all: [[path, name, view, roles that have a link to it], ...]; more: {me, ...}, for each view;
 * on_failure(error): true when it has shown another page instead.
 */
export function enter(all, more, on_failure) {
  pages = all;
  given = more;
  failed = on_failure;
  return show();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']");
  if (!link || link.rel === "external" || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.getAttribute("href")).then(() => main.focus());
});
addEventListener("popstate", show);
