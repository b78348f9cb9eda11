// SPDX-License-Identifier: Apache-2.0
// pages.js BELAY FOLDER: drives the pages of belay ui in a real Chromium: opens the link, reads the log as it grows, trusts a
// workspace, changes a rule's mode and the rulebook, tries lines; asks axe about every page at 1280 and 390 pixels, light and
// dark, and keeps screenshots in FOLDER.  Prints TAP.  Leaves itself out, with one line, where Chromium, puppeteer-core or
// axe-core is missing: these come from npm (docs/internals/ui.md "Pages").
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const [program, folder] = process.argv.slice(2);
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((name) => fs.existsSync(name));
const tags = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];
const screens = [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"], [320, "light"]];
let points = 0, failures = 0;

function check(good, what, note) {
  points += 1;
  failures += good ? 0 : 1;
  console.log(`${good ? "ok" : "not ok"} ${points} - ${what}`);
  if (!good && note) console.log(String(note).replace(/^/gm, "# "));
}

function find(name) {
  try {
    return require.resolve(name);
  } catch {
    console.log(`ok 1 - the pages # SKIP ${name} is not here: npm install puppeteer-core axe-core\n1..1`);
    process.exit(0);
  }
}

/** {link, world, act(line), end()} */
function start() {
  const world = fs.mkdtempSync(path.join(os.tmpdir(), "belay-ui-"));
  const child = spawn("python3", [path.join(__dirname, "ui_program.py"), program, world], { stdio: ["pipe", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "";
    child.on("exit", (code) => reject(new Error(`ui_program.py ended with ${code}`)));
    child.stdout.on("data", (piece) => {
      text += piece;
      const link = text.match(/http:\/\/127\.0\.0\.1:\d+\/#[0-9a-f]{64}/);
      if (link) resolve({ link: link[0], world, act: (line) => child.stdin.write(`${line}\n`), end: () => { child.removeAllListeners("exit"); child.stdin.end(); child.on("exit", () => fs.rmSync(world, { recursive: true, force: true })); } });
    });
  });
}

async function look(page, axe, name) {
  const problems = await page.evaluate(`(async () => { ${axe}; return (await axe.run({ runOnly: ${JSON.stringify(tags)} })).violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target + " " + (n.any[0]?.message ?? "")).join(", ")); })()`);
  const is_wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: !name.startsWith("dialog") });
  check(!problems.length && !is_wide, `${name}: axe finds nothing, and it fits`, problems.concat(is_wide ? ["wider than the window"] : []).join("\n"));
}

const press = (page, text) => page.locator(`::-p-xpath(//button[normalize-space()="${text}"])`).click();
const closed = (page) => page.waitForFunction("!document.querySelector('dialog')");

async function go(page, base, name) {
  await page.goto(`${base}/${name}`, { waitUntil: "load" });
  await page.waitForSelector("main h1");
  await page.waitForFunction("!document.querySelector('#top').hidden");
}

async function trust(page, base, axe, world) {
  await go(page, base, "hooks");
  check((await page.$$eval(".problems .state.deny", (all) => all.length)) === 1, "the mistake in a hook file is shown");
  await press(page, "Trust this workspace");
  await page.waitForSelector("dialog");
  await look(page, axe, "dialog-trust");
  await page.keyboard.press("Escape");
  await closed(page);
  check((await page.evaluate("document.activeElement.textContent")) === "Trust this workspace", "Escape closes a dialog, and focus goes back");
  await press(page, "Trust this workspace");
  await press(page, "Trust it");
  await page.waitForSelector("td .danger");
  const store = fs.readdirSync(world.world, { recursive: true }).filter((name) => /trust/.test(name) && fs.statSync(path.join(world.world, name)).isFile());
  check(store.some((name) => fs.readFileSync(path.join(world.world, name), "utf8").includes("web-shop")), "trust is on the disk", store.join(" "));
  await look(page, axe, "hooks-trusted");
  await page.locator("td .danger").click();
  await page.locator("dialog .danger").click();
  await page.waitForFunction("document.querySelector('main').textContent.includes('No workspace is trusted')");
  check(true, "and it is taken away again");
}

async function rules(page, base, axe, world) {
  const rulebook = path.join(world.world, "web-shop/.belay/rulebook.yml");
  await go(page, base, "rules?q=git/force-push");
  await page.select("select[aria-label='Mode of git/force-push']", "ask");
  await page.waitForSelector("dialog .diff .added");
  await look(page, axe, "dialog-mode");
  await page.locator("dialog button.main").click();
  await page.waitForFunction("document.querySelector(\"select[aria-label='Mode of git/force-push']\")?.value === 'ask'");
  check(/^modes:\n {2}git\/force-push: ask$/m.test(fs.readFileSync(rulebook, "utf8")), "a rule's mode is in the rulebook", fs.readFileSync(rulebook, "utf8"));
  await page.select(".head select", "strict");
  await page.waitForSelector("dialog .diff .added");
  await page.locator("dialog button.main").click();
  await page.waitForFunction("document.querySelector('.head select').value === 'strict'");
  check(/^level: strict$/m.test(fs.readFileSync(rulebook, "utf8")), "and so is the level", fs.readFileSync(rulebook, "utf8"));
  await page.focus(".editor textarea");
  await page.keyboard.down("Control");
  await page.keyboard.press("End");
  await page.keyboard.up("Control");
  await page.keyboard.type("levle: strict\n");
  await page.waitForSelector(".findings .state.deny, .findings .state.ask");
  await page.$eval(".editor", (element) => element.scrollIntoView());
  await look(page, axe, "rulebook-with-a-mistake");
}

async function watch_log(page, base, world) {
  await go(page, base, "log");
  world.act("rm -rf /var/lib");
  await page.waitForFunction("document.querySelector('.events .new .what')?.textContent === 'rm -rf /var/lib'");
  check(true, "the log grows by itself");
  await page.type("input[type=search]", "publish");
  await page.waitForFunction("[...document.querySelectorAll('.events .what')].every((one) => one.textContent.includes('publish'))");
}

async function one_entry(page, base, axe) {
  await go(page, base, "log?denied=true");
  await page.locator(".events button").click();
  await page.waitForSelector("dialog .why-list li");
  await look(page, axe, "dialog-entry");
  await page.keyboard.press("Escape");
  await closed(page);
}

async function attempt(page, base, axe) {
  await go(page, base, "try");
  await page.type("#line", "rm -rf ~");
  await page.keyboard.down("Control");
  await page.keyboard.press("Enter");
  await page.keyboard.up("Control");
  await page.waitForSelector(".verdict.bad");
  check((await page.$eval("main", (main) => main.textContent)).includes("filesystem/home"), "a line is tried, and the rule is named");
  for (const [width, scheme] of screens.slice(0, 4)) {
    await screen(page, width, scheme);
    await look(page, axe, `tried-${width}-${scheme}`);
  }
  await screen(page, ...screens[0]);
  await page.select("form select", "event");
  await page.$eval("#line", (area) => { area.value = JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", cwd: "/tmp", tool_name: "Bash", tool_input: { command: "git push --force" } }); });
  await press(page, "What would be decided?");
  await page.waitForFunction("document.querySelector('main').textContent.includes('git/force-push')");
  check(true, "and so is an event");
}

async function screen(page, width, scheme) {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.setViewport({ width, height: 860 });
}

async function work(page, world, axe, base) {
  await page.goto(`${base}/`, { waitUntil: "load" });
  await page.waitForSelector(".sign-in h1");
  await look(page, axe, "without-the-link");
  await page.goto("about:blank");
  await page.goto(world.link, { waitUntil: "load" });
  await page.waitForSelector("main h1");
  await page.waitForFunction("document.querySelector('.tiles')");
  check((await page.evaluate("location.hash")) === "", "the token is gone from the address");
  for (const name of ["", "hooks", "rules", "log", "try"])
    for (const [width, scheme] of screens) {
      await screen(page, width, scheme);
      await go(page, base, name);
      await look(page, axe, `${name || "overview"}-${width}-${scheme}`);
    }
  await screen(page, ...screens[0]);
  await trust(page, base, axe, world);
  await rules(page, base, axe, world);
  await watch_log(page, base, world);
  await one_entry(page, base, axe);
  await attempt(page, base, axe);
  await press(page, "End belay ui");
  await press(page, "End it");
  await page.waitForFunction("document.querySelector('h1').textContent === 'belay ui has ended'");
  await look(page, axe, "ended");
}

async function main() {
  if (!chromium) {
    console.log("ok 1 - the pages # SKIP there is no Chromium here\n1..1");
    return;
  }
  const axe = fs.readFileSync(find("axe-core"), "utf8");
  const puppeteer = require(find("puppeteer-core"));
  fs.mkdirSync(folder, { recursive: true });
  const world = await start();
  const base = world.link.split("/#")[0];
  const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox"], headless: true });
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => { if (message.type() === "error" && !message.text().includes("401")) errors.push(message.text()); });
  page.on("request", (request) => { if (!request.url().startsWith(base) && !/^(data|about):/.test(request.url())) errors.push(`asked ${request.url()}`); });
  page.setDefaultTimeout(20000);
  try {
    await work(page, world, axe, base);
    check(!errors.length, "no script failed, the policy refused nothing, and no other host was asked", errors.join("\n"));
  } catch (error) {
    await page.screenshot({ path: path.join(folder, "failed.png") });
    check(false, "the pages can be used", `${error.stack}\n${errors.join("\n")}`);
  } finally {
    await browser.close();
    world.end();
  }
  console.log(`1..${points}`);
  process.exitCode = failures ? 1 : 0;
}

main();
