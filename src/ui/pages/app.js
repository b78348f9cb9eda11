// app.js: the link's token for a session, and the pages.
import { h, confirm } from "./dom.js";
import { always, get, post, remove, Refused } from "./api.js";
import { enter, outside } from "./frame.js";
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

/** What a person without a session sees. */
function say(title, ...words) {
  outside(title, h("div", { class: "brand" }, h("span", { class: "mark", "aria-hidden": "true" }), "belay"),
    h("h1", {}, title), ...words.map((text) => h("p", {}, text)),
    h("p", { class: "muted" }, "In a terminal, in your project:"), h("p", { class: "secret" }, "belay ui"));
  document.getElementById("main").focus();
}

const over = () => say("belay ui has ended", "Nothing is served any more, and this page can be closed.");

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

function draw_project(me) {
  const project = document.getElementById("project");
  project.textContent = me.project.split("/").pop() || "/";
  project.title = me.project;
  document.getElementById("version").textContent = `belay ${me.version}`;
}

/** Shows why no page can be shown, if the program or the session is gone. */
function failed(error) {
  const is_gone = error instanceof TypeError && /fetch|network/i.test(error.message);
  const is_stranger = error instanceof Refused && error.status === 401;
  if (is_gone) over();
  else if (is_stranger) say("This page is not signed in", "Open the link that belay ui printed in the same browser.");
  return is_gone || is_stranger;
}

async function start() {
  let me;
  try {
    me = await begin();
  } catch (error) {
    localStorage.removeItem("key");
    if (error instanceof Refused) say(error.status === 401 ? "Open the link of belay ui" : "This link does not work", error.status === 401 ? "belay ui prints a link in the terminal that is good once. This page was opened without it." : error.message);
    else over();
    return;
  }
  draw_project(me);
  await enter(pages, { me, over }, failed);
}

document.getElementById("leave").addEventListener("click", async () => {
  if (!(await confirm("End belay ui?", "The program stops and these pages with it. Nothing else changes: belay goes on guarding.", "End it"))) return;
  await remove("/api/session").catch(() => {});
  localStorage.removeItem("key");
  over();
});
start();
