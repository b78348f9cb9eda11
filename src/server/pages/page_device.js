// page_device.js: a person confirms the code that a machine shows.
import { h, head, panel, ago } from "./dom.js";
import { post } from "./api.js";

export async function device() {
  const code = h("input", { required: true, class: "mono", autocomplete: "off", spellcheck: "false", placeholder: "BCDF-GHJK", value: location.hash.slice(1) });
  const place = h("div", { class: "stack", "aria-live": "polite" });
  const answer = async (word) => {
    try {
      await post("/api/device/answer", { user_code: code.value, answer: word });
      place.replaceChildren(h("p", { class: `note ${word === "grant" ? "good" : ""}` }, word === "grant" ? "Confirmed. The machine goes on by itself within seconds." : "Refused. The machine is told so."));
    } catch (error) {
      place.replaceChildren(h("p", { class: "note bad" }, error.message));
    }
  };
  const look = async (event) => {
    event.preventDefault();
    try {
      const who = await post("/api/device", { user_code: code.value });
      place.replaceChildren(
        h("dl", { class: "facts" }, h("dt", {}, "Machine"), h("dd", {}, who.name), h("dt", {}, "Asked by"), h("dd", {}, who.place), h("dt", {}, "Code shown"), h("dd", {}, ago(who.created))),
        h("p", { class: "note warn" }, "Confirm only a code that you have just started yourself, on that machine. Whoever sent you a code would get in with it."),
        h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: () => answer("grant") }, "Confirm"), h("button", { type: "button", class: "danger", onclick: () => answer("deny") }, "Refuse")));
    } catch (error) {
      place.replaceChildren(h("p", { class: "note bad" }, error.message));
    }
  };
  return [
    head("Add a machine"),
    h("div", { class: "columns" }, panel("Confirm a code", null, h("div", { class: "stack" },
      h("p", { class: "muted" }, "Run ", h("code", {}, `belay team login ${location.origin}`), " on the machine; it shows eight letters."),
      h("form", { class: "row", onsubmit: look }, h("label", { class: "grow" }, "Code", code), h("button", { type: "submit" }, "Look it up")), place))),
  ];
}
