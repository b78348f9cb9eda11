// SPDX-License-Identifier: Apache-2.0
// pages.js BELAY FOLDER: drives the pages of belay ui in a real Chromium: opens the link, reads the log as it grows, trusts a
// workspace, changes a rule's mode and the rulebook, tries lines; asks axe about every page at 1280 and 390 pixels, light and
// dark, and keeps screenshots in FOLDER (docs/internals/ui.md "Pages").  Prints TAP.
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { check, closed, drive, look, look_everywhere, press, press_with, screens, set_screen } = require("../browser.js");

const [program, folder] = process.argv.slice(2);

/** {base, link, world, act(line), end()} */
function start() {
  const world = fs.mkdtempSync(path.join(os.tmpdir(), "belay-ui-"));
  const child = spawn("python3", [path.join(__dirname, "ui_program.py"), program, world], { stdio: ["pipe", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "";
    child.on("exit", (code) => reject(new Error(`ui_program.py ended with ${code}`)));
    child.stdout.on("data", (piece) => {
      text += piece;
      const link = text.match(/http:\/\/127\.0\.0\.1:\d+\/#[0-9a-f]{64}/);
      if (link) resolve({ base: link[0].split("/#")[0], link: link[0], world, act: (line) => child.stdin.write(`${line}\n`), end: () => { child.removeAllListeners("exit"); child.stdin.end(); child.on("exit", () => fs.rmSync(world, { recursive: true, force: true })); } });
    });
  });
}

async function go(page, base, name) {
  await page.goto(`${base}/${name}`, { waitUntil: "load" });
  await page.waitForSelector("main h1");
  await page.waitForFunction("!document.querySelector('#top').hidden");
}

async function trust(page, base, world) {
  await go(page, base, "hooks");
  check((await page.$$eval(".problems .state.deny", (all) => all.length)) === 1, "the mistake in a hook file is shown");
  await press(page, "Trust this workspace");
  await page.waitForSelector("dialog");
  await look(page, "dialog-trust");
  await page.keyboard.press("Escape");
  await closed(page);
  check((await page.evaluate("document.activeElement.textContent")) === "Trust this workspace", "Escape closes a dialog, and focus goes back");
  await press(page, "Trust this workspace");
  await press(page, "Trust it");
  await page.waitForSelector("td .danger");
  const store = fs.readdirSync(world.world, { recursive: true }).filter((name) => /trust/.test(name) && fs.statSync(path.join(world.world, name)).isFile());
  check(store.some((name) => fs.readFileSync(path.join(world.world, name), "utf8").includes("web-shop")), "trust is on the disk", store.join(" "));
  await look(page, "hooks-trusted");
  await page.locator("td .danger").click();
  await page.locator("dialog .danger").click();
  await page.waitForFunction("document.querySelector('main').textContent.includes('No workspace is trusted')");
  check(true, "and it is taken away again");
}

async function rules(page, base, world) {
  const rulebook = path.join(world.world, "web-shop/.belay/rulebook.yml");
  await go(page, base, "rules?q=git/force-push");
  await page.select("select[aria-label='Mode of git/force-push']", "ask");
  await page.waitForSelector("dialog .diff .added");
  await look(page, "dialog-mode");
  await page.locator("dialog button.main").click();
  await page.waitForFunction("document.querySelector(\"select[aria-label='Mode of git/force-push']\")?.value === 'ask'");
  check(/^modes:\n {2}git\/force-push: ask$/m.test(fs.readFileSync(rulebook, "utf8")), "a rule's mode is in the rulebook", fs.readFileSync(rulebook, "utf8"));
  await page.select(".head select", "strict");
  await page.waitForSelector("dialog .diff .added");
  await page.locator("dialog button.main").click();
  await page.waitForFunction("document.querySelector('.head select').value === 'strict'");
  check(/^level: strict$/m.test(fs.readFileSync(rulebook, "utf8")), "and so is the level", fs.readFileSync(rulebook, "utf8"));
  await page.focus(".editor textarea");
  await press_with(page, "Control", "End");
  await page.keyboard.type("levle: strict\n");
  await page.waitForSelector(".findings .state.deny, .findings .state.ask");
  await page.$eval(".editor", (element) => element.scrollIntoView());
  await look(page, "rulebook-with-a-mistake");
}

async function watch_log(page, base, world) {
  await go(page, base, "log");
  world.act("rm -rf /var/lib");
  await page.waitForFunction("document.querySelector('.events .new .what')?.textContent === 'rm -rf /var/lib'");
  check(true, "the log grows by itself");
  await page.type("input[type=search]", "publish");
  await page.waitForFunction("[...document.querySelectorAll('.events .what')].every((one) => one.textContent.includes('publish'))");
}

async function one_entry(page, base) {
  await go(page, base, "log?denied=true");
  await page.locator(".events button").click();
  await page.waitForSelector("dialog .why-list li");
  await look(page, "dialog-entry");
  await page.keyboard.press("Escape");
  await closed(page);
}

async function attempt(page, base) {
  await go(page, base, "try");
  await page.type("#line", "rm -rf ~");
  await press_with(page, "Control", "Enter");
  await page.waitForSelector(".verdict.bad");
  check((await page.$eval("main", (main) => main.textContent)).includes("filesystem/home"), "a line is tried, and the rule is named");
  for (const [width, scheme] of screens.slice(0, 4)) {
    await set_screen(page, width, scheme);
    await look(page, `tried-${width}-${scheme}`);
  }
  await set_screen(page, ...screens[0]);
  await page.select("form select", "event");
  await page.$eval("#line", (area) => { area.value = JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", cwd: "/tmp", tool_name: "Bash", tool_input: { command: "git push --force" } }); });
  await press(page, "What would be decided?");
  await page.waitForFunction("document.querySelector('main').textContent.includes('git/force-push')");
  check(true, "and so is an event");
}

async function work(page, world) {
  const { base } = world;
  await page.goto(`${base}/`, { waitUntil: "load" });
  await page.waitForSelector(".sign-in h1");
  await look(page, "without-the-link");
  await page.goto("about:blank");
  await page.goto(world.link, { waitUntil: "load" });
  await page.waitForSelector("main h1");
  await page.waitForFunction("document.querySelector('.tiles')");
  check((await page.evaluate("location.hash")) === "", "the token is gone from the address");
  for (const name of ["", "hooks", "rules", "log", "try"])
    await look_everywhere(page, name, () => go(page, base, name));
  await trust(page, base, world);
  await rules(page, base, world);
  await watch_log(page, base, world);
  await one_entry(page, base);
  await attempt(page, base);
  await press(page, "End belay ui");
  await press(page, "End it");
  await page.waitForFunction("document.querySelector('h1').textContent === 'belay ui has ended'");
  await look(page, "ended");
}

drive(folder, start, work);
