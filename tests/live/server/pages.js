// SPDX-License-Identifier: Apache-2.0
// pages.js SERVER FOLDER: drives the pages of a belay-server in a real Chromium: signs in, writes a policy with an error
// and mends it, makes a set and rolls it out, all by the keyboard where that matters; asks axe about every page at 1280 and
// 390 pixels, light and dark, and keeps screenshots in FOLDER.  Prints TAP.
// Not a part of make check: it needs Chromium and, from npm, puppeteer-core and axe-core (docs/internals/server.md "Pages").
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const puppeteer = require("puppeteer-core");

const axe = fs.readFileSync(require.resolve("axe-core"), "utf8");
const [program, folder] = process.argv.slice(2);
const tags = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];
let points = 0, failures = 0;

function check(good, what, note) {
  points += 1;
  failures += good ? 0 : 1;
  console.log(`${good ? "ok" : "not ok"} ${points} - ${what}`);
  if (!good && note) console.log(String(note).replace(/^/gm, "# "));
}

/** {port, token, end()} of a server in a new folder. */
function start_server() {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), "belay-pages-"));
  const child = spawn(program, ["--data", data, "--listen", "127.0.0.1:0", "--rate", "1000"], { stdio: ["ignore", "pipe", "ignore"] });
  return new Promise((resolve) => {
    let text = "";
    child.stdout.on("data", (piece) => {
      text += piece;
      const port = text.match(/listens on http:\/\/127\.0\.0\.1:(\d+)/);
      if (port) resolve({ base: `http://127.0.0.1:${port[1]}`, token: text.match(/blt_p\w+/)[0], end: () => { child.kill(); fs.rmSync(data, { recursive: true }); } });
    });
  });
}

async function look(page, name) {
  const problems = await page.evaluate(`(async () => { ${axe}; return (await axe.run({ runOnly: ${JSON.stringify(tags)} })).violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target).join(", ")); })()`);
  const is_wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  check(!problems.length && !is_wide, `${name}: axe finds nothing, and it fits`, problems.concat(is_wide ? ["wider than the window"] : []).join("\n"));
}

const press = (page, text) => page.locator(`::-p-xpath(//button[normalize-space()="${text}"])`).click();

async function type_into_editor(page, text) {
  await page.focus(".editor textarea");
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.keyboard.type(text);
}

async function work(page, server) {
  await page.goto(`${server.base}/`, { waitUntil: "networkidle0" });
  await look(page, "sign-in");
  await page.type("#token", "blt_pnothing");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".note.bad:not([hidden])");
  await page.$eval("#token", (input) => { input.value = ""; });
  await page.type("#token", server.token);
  await page.keyboard.press("Enter");
  await page.waitForSelector("#nav li");
  await page.goto(`${server.base}/hooks?file=new-rulebook`, { waitUntil: "networkidle0" });
  await type_into_editor(page, "level: strickt\n");
  await page.waitForSelector(".findings .state.deny");
  await look(page, "editor-with-an-error");
  await type_into_editor(page, "level: strict\n");
  await page.waitForSelector(".findings .state.good");
  await press(page, "Save");
  await page.waitForFunction("location.search.includes('rulebook.yml') && !location.search.includes('new')");
  await press(page, "Try");
  await page.waitForSelector("dialog input");
  await page.type("dialog input", "rm -rf /");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog .findings .state.deny");
  await look(page, "try");
  await page.keyboard.press("Escape");
  await page.waitForFunction("!document.querySelector('dialog')");
  await press(page, "Review the changes");
  await page.waitForSelector("dialog .diff .added");
  await look(page, "review");
  await page.keyboard.press("Escape");
  await page.waitForFunction("!document.querySelector('dialog')");
  const back = await page.evaluate("document.activeElement.textContent");
  check(back === "Review the changes", "Escape closes a dialog, and focus goes back", back);
  await press(page, "Review the changes");
  await press(page, "Make the set");
  await page.waitForFunction("location.pathname === '/sets' && document.querySelector('table')");
  await page.locator("table button").click();
  await page.waitForSelector("dialog");
  await look(page, "roll-out");
  await page.locator("dialog button.main").click();
  await page.waitForFunction("document.querySelector('td .state.good')?.textContent === 'in force'");
  check(true, "a policy was written, mended, made a set and rolled out");
}

async function main() {
  fs.mkdirSync(folder, { recursive: true });
  const server = await start_server();
  const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"], headless: true });
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => { if (message.type() === "error" && !message.text().includes("401")) errors.push(message.text()); });
  page.setDefaultTimeout(20000);
  try {
    await page.setViewport({ width: 1280, height: 860 });
    await work(page, server);
    for (const name of ["", "machines", "hooks", "sets", "executions", "exceptions", "audit", "tokens", "device"])
      for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"], [320, "light"]]) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        await page.setViewport({ width, height: 860 });
        await page.goto(`${server.base}/${name}`, { waitUntil: "networkidle0" });
        await look(page, `${name || "overview"}-${width}-${scheme}`);
      }
    check(!errors.length, "nothing was refused by the policy, no script failed", errors.join("\n"));
  } finally {
    await browser.close();
    server.end();
  }
  console.log(`1..${points}`);
  process.exitCode = failures ? 1 : 0;
}

main();
