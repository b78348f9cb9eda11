// SPDX-License-Identifier: Apache-2.0
// pages.js SERVER FOLDER: drives the pages of a belay-server in a real Chromium: signs in, writes a policy with an error
// and mends it, makes a set and rolls it out, all by the keyboard where that matters; asks axe about every page at 1280 and
// 390 pixels, light and dark, and keeps screenshots in FOLDER.  Prints TAP.
// Not a part of make check: it needs Chromium and, from npm, puppeteer-core and axe-core (docs/internals/server.md "Pages").
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { check, closed, drive, look, look_everywhere, press, press_with } = require("../browser.js");

const [program, folder] = process.argv.slice(2);

/** {base, token, end()} of a server in a new folder. */
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

async function type_into_editor(page, text) {
  await page.focus(".editor textarea");
  await press_with(page, "Control", "a");
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
  await closed(page);
  await press(page, "Review the changes");
  await page.waitForSelector("dialog .diff .added");
  await look(page, "review");
  await page.keyboard.press("Escape");
  await closed(page);
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
  for (const name of ["", "machines", "hooks", "sets", "executions", "exceptions", "audit", "tokens", "device"])
    await look_everywhere(page, name, () => page.goto(`${server.base}/${name}`, { waitUntil: "networkidle0" }));
}

drive(folder, start_server, work);
