// SPDX-License-Identifier: Apache-2.0
// browser.js: drives pages in a real Chromium, for server/pages.js and ui/pages.js: finds Chromium and, from npm,
// puppeteer-core and axe-core (says in one line which of them is missing, and ends), prints TAP, keeps screenshots.
const fs = require("node:fs");
const path = require("node:path");

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((name) => fs.existsSync(name));
const tags = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];
/** Every page is looked at on each of them. */
const screens = [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"], [320, "light"]];
let points = 0, failures = 0;
let axe, folder;

function check(good, what, note) {
  points += 1;
  failures += good ? 0 : 1;
  console.log(`${good ? "ok" : "not ok"} ${points} - ${what}`);
  if (!good && note) console.log(String(note).replace(/^/gm, "# "));
}

function skip(why) {
  console.log(`ok 1 - the pages # SKIP ${why}\n1..1`);
  process.exit(0);
}

function find(name) {
  try {
    return require.resolve(name);
  } catch {
    return skip(`${name} is not here: npm install puppeteer-core axe-core`);
  }
}

/** Asks axe about what is shown, whether it fits the window, and keeps a picture of it. */
async function look(page, name) {
  const problems = await page.evaluate(`(async () => { ${axe}; return (await axe.run({ runOnly: ${JSON.stringify(tags)} })).violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target + " " + (n.any[0]?.message ?? "")).join(", ")); })()`);
  const odd = await page.evaluate(`(() => { const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); const found = []; while (walk.nextNode()) if (/^(true|false|null|undefined|NaN|.*\\[object .*)$/.test(walk.currentNode.textContent.trim()) && !walk.currentNode.parentElement.closest("pre, textarea, script, style")) found.push("says " + walk.currentNode.textContent); for (const one of document.querySelectorAll("[hidden]")) if (one.offsetParent) found.push("shows what is hidden: " + one.textContent); return found; })()`);
  const is_wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: !name.startsWith("dialog") });
  check(!problems.length && !odd.length && !is_wide, `${name}: axe finds nothing, it fits, and says nothing odd`, problems.concat(odd, is_wide ? ["wider than the window"] : []).join("\n"));
}

/** Without motion: half-way from one colour to the next nothing could be read. */
async function set_screen(page, width, scheme) {
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.setViewport({ width, height: 860 });
}

/** Looks at the page of that name on every screen; go() opens it. */
async function look_everywhere(page, name, go) {
  for (const [width, scheme] of screens) {
    await set_screen(page, width, scheme);
    await go();
    await look(page, `${name || "overview"}-${width}-${scheme}`);
  }
  await set_screen(page, ...screens[0]);
}

const press = (page, text) => page.locator(`::-p-xpath(//button[normalize-space()="${text}"])`).click();
const closed = (page) => page.waitForFunction("!document.querySelector('dialog')");

/** Holds a key down while another one is pressed. */
async function press_with(page, held, key) {
  await page.keyboard.down(held);
  await page.keyboard.press(key);
  await page.keyboard.up(held);
}

/** start(): {base, end()} of a program; work(page, program) does what a person would. */
async function drive(pictures, start, work) {
  if (!chromium) skip("there is no Chromium here");
  axe = fs.readFileSync(find("axe-core"), "utf8");
  folder = pictures;
  const puppeteer = require(find("puppeteer-core"));
  fs.mkdirSync(folder, { recursive: true });
  const program = await start();
  const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox"], headless: true });
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => { if (message.type() === "error" && !message.text().includes("401")) errors.push(message.text()); });
  page.on("request", (request) => { if (!request.url().startsWith(program.base) && !/^(data|about):/.test(request.url())) errors.push(`asked ${request.url()}`); });
  page.setDefaultTimeout(20000);
  try {
    await set_screen(page, ...screens[0]);
    await work(page, program);
    check(!errors.length, "no script failed, the policy refused nothing, and no other host was asked", errors.join("\n"));
  } catch (error) {
    await page.screenshot({ path: path.join(folder, "failed.png") });
    check(false, "the pages can be used", `${error.stack}\n${errors.join("\n")}`);
  } finally {
    await browser.close();
    program.end();
  }
  console.log(`1..${points}`);
  process.exitCode = failures ? 1 : 0;
}

module.exports = { check, closed, drive, look, look_everywhere, press, press_with, screens, set_screen };
