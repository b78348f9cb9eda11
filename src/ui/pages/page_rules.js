// page_rules.js: rules and their modes, what a rulebook says beside them, and the rulebook itself.
import { h, head, panel, table, empty, dialog, toast, count } from "./dom.js";
import { get, post, put } from "./api.js";
import { diff } from "./diff.js";
import { editor } from "./editor.js";
import { command } from "./entry.js";
import { with_level, with_mode } from "./rulebook.js";

const modes = ["off", "monitor", "ask", "deny"];
const levels = [["off", "off: the packs are silent"], ["relaxed", "relaxed"], ["standard", "standard"], ["strict", "strict"]];
const books = [["project", "this project"], ["user", "all your projects"]];
const kinds = { deny: "deny", ask: "ask", monitor: "monitor", off: "" };
const words = { deny: "refuses", ask: "asks", monitor: "records", off: "off" };
const words_of_many = { deny: "refuse", ask: "ask", monitor: "record", off: "off" };

const state = (mode) => h("span", { class: `state ${kinds[mode]}` }, words[mode]);

/** Shows what would be written, and writes it; change: text => text. */
async function review(data, title, change, again, expected) {
  const there = books.filter(([name]) => data.rulebooks[name].dir);
  if (!there.length) {
    dialog(title, h("p", {}, "There is no rulebook yet, in this project or of your own. This makes one:"), command("belay init"));
    return;
  }
  let book = null, text = null;
  const shown = h("div", {});
  const note = h("p", { class: "note bad", role: "alert", hidden: true });
  const save = h("button", { type: "submit", class: "main" }, "Save");
  const fail = (message) => { note.textContent = message; note.hidden = false; save.disabled = true; };
  const load = async (name) => {
    note.hidden = true;
    save.disabled = true;
    try {
      book = await get(`/api/rulebook/${name}`);
      text = change(book.text);
      shown.replaceChildren(text === book.text ? h("p", { class: "muted" }, "The rulebook says so already.") : diff({ path: book.path, before: book.text || null, after: text }));
      const { findings } = await post(`/api/rulebook/${name}`, { text });
      const bad = findings.find((one) => one.severity === "error");
      if (bad) fail(`Line ${bad.line}: ${bad.message}`);
      else save.disabled = text === book.text;
    } catch (error) {
      fail(error.message);
    }
  };
  const place = h("select", { onchange: () => load(place.value) }, there.map(([value, name]) => h("option", { value }, `${name} (${data.rulebooks[value].dir})`)));
  const box = dialog(title, h("label", {}, "In the rulebook of", place), shown, note,
    h("form", { class: "row", onsubmit: async (event) => {
      event.preventDefault();
      try {
        await put(`/api/rulebook/${place.value}`, { text, digest: book.digest });
        box.close();
        toast(await expected());
        await again();
      } catch (error) {
        fail(error.message);
      }
    } }, save, h("button", { type: "button", onclick: () => box.close() }, "Cancel")));
  await load(place.value);
}

function set_mode(data, rule, mode, again) {
  return review(data, `${rule.id}: ${words[mode]}`, (text) => with_mode(text, rule.id, mode), again, async () => {
    const now = (await get("/api/rules")).rules.find((one) => one.id === rule.id).mode;
    return now === mode ? `Saved: ${rule.id} ${words[mode]} from the next event on.` : `Saved, but ${rule.id} still ${words[now]}: another rulebook does not let it loosen.`;
  });
}

function set_level(data, level, again) {
  return review(data, `Level ${level}`, (text) => with_level(text, level), again, async () => {
    const now = (await get("/api/rules")).level;
    return now === level ? `Saved: level ${level} from the next event on.` : `Saved, but the level in force is ${now || "none"}: the strictest rulebook counts.`;
  });
}

function said_by(data, id) {
  const found = books.filter(([name]) => id in data.rulebooks[name].modes || id.split("/")[0] in data.rulebooks[name].modes);
  return found.length > 0 && h("span", { class: "badge" }, `set for ${found.map(([, name]) => name).join(" and ")}`);
}

function rule_row(data, rule, again) {
  const { title, description, custom } = rule.row;
  const select = h("select", { "aria-label": `Mode of ${rule.id}`, class: `mode ${kinds[rule.mode]}`, onchange: () => { const wanted = select.value; select.value = rule.mode; set_mode(data, rule, wanted, again); } },
    modes.map((mode) => h("option", { value: mode, selected: mode === rule.mode }, words[mode])));
  return h("li", { class: "rule" },
    h("div", { class: "rule-text" }, h("div", {}, h("span", { class: "mono" }, rule.id), " ", h("span", { class: "badge" }, custom.severity), said_by(data, rule.id)),
      h("p", {}, title, description && h("span", { class: "muted" }, ` ${description}`)), custom.instead && h("p", { class: "muted" }, `Instead: ${custom.instead}`)),
    h("div", { class: "rule-levels", role: "img", "aria-label": `relaxed ${words[custom.modes[0]]}, standard ${words[custom.modes[1]]}, strict ${words[custom.modes[2]]}` },
      custom.modes.map((mode, i) => h("i", { class: `${kinds[mode]} ${["relaxed", "standard", "strict"][i] === data.level ? "now" : ""}`, title: `${["relaxed", "standard", "strict"][i]}: ${words[mode]}` }))),
    select);
}

function pack_block(name, rules, data, again, is_open) {
  const counts = modes.toReversed().map((mode) => [mode, rules.filter((rule) => rule.mode === mode).length]).filter(([, number]) => number);
  const list = h("ul", { class: "rules" });
  const fill = () => { if (!list.children.length) list.append(...rules.map((rule) => rule_row(data, rule, again))); };
  if (is_open) fill();
  return h("details", { class: "pack", open: is_open, ontoggle: fill }, h("summary", {}, h("h3", {}, name), h("span", { class: "muted" }, `${rules.length} ${rules.length === 1 ? "rule" : "rules"}`), h("span", { class: "space" }),
    h("span", { class: "counts" }, counts.map(([mode, number]) => h("span", { class: `state ${kinds[mode]}` }, `${number} ${(number === 1 ? words : words_of_many)[mode]}`)))), list);
}

function packs(data, query, go, again) {
  const q = (query.get("q") ?? "").trim().toLowerCase(), mode = query.get("mode") ?? "";
  const fit = data.rules.filter((rule) => (!mode || rule.mode === mode) && (!q || [rule.id, rule.row.title, rule.row.description].some((text) => (text ?? "").toLowerCase().includes(q))));
  const names = [...new Set(fit.map((rule) => rule.id.split("/")[0]))];
  const is_open = Boolean(q || mode) && fit.length <= 60;
  const search = h("input", { type: "search", value: query.get("q") ?? "", placeholder: "git, force, secrets/env-file" });
  const change = (name, value) => {
    const next = new URLSearchParams(query);
    if (value) next.set(name, value);
    else next.delete(name);
    go(`/rules?${next}`);
  };
  return h("section", { class: "panel", "aria-labelledby": "packs-title" }, h("div", { class: "panel-head" }, h("h2", { id: "packs-title" }, "Rules that belay ships"), h("span", { class: "muted" }, `${count(fit.length)} of ${count(data.rules.length)}`)),
    h("form", { class: "row", role: "search", "aria-label": "Rules", onsubmit: (event) => { event.preventDefault(); change("q", search.value.trim()); } },
      h("label", { class: "grow" }, "Search", search),
      h("label", {}, "Mode in force", h("select", { onchange: (event) => change("mode", event.target.value) }, ["", ...modes].map((value) => h("option", { value, selected: value === mode }, value ? words[value] : "all")))),
      h("button", { type: "submit" }, "Search")),
    h("p", { class: "legend key", "aria-hidden": "true" }, h("span", { class: "deny" }, h("i", {}), "refuses"), h("span", { class: "ask" }, h("i", {}), "asks"), h("span", { class: "monitor" }, h("i", {}), "only records"), h("span", {}, "three marks: relaxed, standard, strict")),
    names.length ? names.map((name) => pack_block(name, fit.filter((rule) => rule.id.startsWith(`${name}/`)), data, again, is_open)) : empty("No rule fits."));
}

function own_rules(data) {
  const list = (kind) => books.flatMap(([name, where]) => (data.rulebooks[name].own?.[kind] ?? []).map((one) => ({ ...one, where })));
  const rules = list("rules"), exceptions = list("exceptions");
  const about = (one) => h("code", {}, [one.subject && one.subject !== "command" && `${one.subject}:`, one.text ?? one.command ?? one.path ?? one.ref ?? one.host ?? "", one.to && `(to ${one.to})`].filter(Boolean).join(" "));
  return h("div", { class: "columns" },
    panel("Rules of your own", "from the rulebooks", rules.length ? table([
      ["What", about, "wide text"], ["Does", (one) => h("span", { class: `state ${{ deny: "deny", ask: "ask", allow: "good" }[one.verb] ?? ""}` }, { deny: "refuses", ask: "asks", allow: "allows" }[one.verb] ?? one.verb)], ["Why", (one) => one.reason ?? "", "text"], ["For", (one) => one.where],
    ], rules, "Rules of your own") : h("div", { class: "stack" }, h("p", { class: "muted" }, "None. This writes one:"), command("belay deny 'terraform destroy'"))),
    panel("Exceptions", "what a rule of the packs lets pass", exceptions.length ? table([
      ["Rule", (one) => h("span", { class: "mono" }, one.rule), "wide text"], ["For what", about, "text"], ["Until", (one) => one.expires ?? "ever", "named"], ["For", (one) => one.where],
    ], exceptions, "Exceptions") : h("div", { class: "stack" }, h("p", { class: "muted" }, "None. This writes one:"), command("belay exempt git/force-push --ref 'my-branch'"))));
}

function finding(one, jump) {
  return h("li", {}, h("button", { type: "button", onclick: () => jump(one) }, h("span", { class: `state ${one.severity === "error" ? "deny" : "ask"}` }, one.severity), h("span", {}, `line ${one.line}: ${one.message}${one.hint ? ` (${one.hint})` : ""}`)));
}

/** The text of a rulebook, checked as it is written. */
async function book_panel(data, query, go, again, on_leave) {
  const there = books.filter(([name]) => data.rulebooks[name].dir);
  if (!there.length) return panel("rulebook.yml", null, empty("There is none yet. This makes one that fits your agents:", "belay init"));
  const name = there.some(([value]) => value === query.get("book")) ? query.get("book") : there[0][0];
  const book = await get(`/api/rulebook/${name}`);
  const findings = h("ul", { class: "findings", "aria-live": "polite" });
  const save = h("button", { type: "button", class: "main", disabled: true, onclick: () => review_text() }, "Review and save");
  let timer = null;
  const tell = (list) => {
    text.mark(list.filter((one) => one.severity === "error"));
    findings.replaceChildren(...(list.length ? list.map((one) => finding(one, (at) => text.go(at.line, at.column))) : [h("li", {}, h("span", { class: "state good" }, "no mistakes"))]));
    save.disabled = text.value === book.text || list.some((one) => one.severity === "error");
  };
  const text = editor({ text: book.text, name: "rulebook.yml", onchange: (value) => {
    clearTimeout(timer);
    save.disabled = true;
    timer = setTimeout(() => post(`/api/rulebook/${name}`, { text: value }).then((answer) => tell(answer.findings), (error) => toast(error.message)), 250);
  } });
  on_leave(() => clearTimeout(timer));
  const review_text = () => {
    const box = dialog("Save the rulebook?", diff({ path: book.path, before: book.text || null, after: text.value }), h("form", { class: "row", onsubmit: async (event) => {
      event.preventDefault();
      try {
        await put(`/api/rulebook/${name}`, { text: text.value, digest: book.digest });
        box.close();
        toast("Saved: it counts from the next event on.");
        await again();
      } catch (error) {
        box.close();
        toast(error.message);
      }
    } }, h("button", { type: "submit", class: "main" }, "Save"), h("button", { type: "button", onclick: () => box.close() }, "Cancel")));
  };
  tell(book.findings);
  const choice = there.length > 1 && h("label", { class: "inline" }, "of", h("select", { onchange: (event) => { const next = new URLSearchParams(query); next.set("book", event.target.value); go(`/rules?${next}`); } }, there.map(([value, word]) => h("option", { value, selected: value === name }, word))));
  return h("section", { class: "panel", "aria-labelledby": "book-title" }, h("div", { class: "panel-head" }, h("h2", { id: "book-title" }, "rulebook.yml"), choice, h("span", { class: "path muted" }, book.path), h("span", { class: "space" }), save), text.element, findings);
}

export async function rules({ query, go, again, on_leave }) {
  const data = await get("/api/rules");
  const select = h("select", { onchange: () => { const wanted = select.value; select.value = data.level; set_level(data, wanted, again); } },
    (data.level ? levels : [["", "none is set"], ...levels]).map(([value, name]) => h("option", { value, selected: value === data.level }, name)));
  const broken = books.filter(([name]) => data.rulebooks[name].broken);
  return [
    head("Rules", h("label", { class: "inline" }, "Level", select)),
    h("div", { class: "stack" },
      broken.map(([, name]) => h("p", { class: "note bad", role: "alert" }, `The rulebook of ${name} has an error, so belay refuses what it can refuse until it is mended. See below.`)),
      packs(data, query, go, again), own_rules(data), await book_panel(data, query, go, again, on_leave)),
  ];
}
