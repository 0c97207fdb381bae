// Where the page starts: connects its buttons, and shows the text of the address or the work that was kept.

import { App } from "./app.js";
import { byId, make } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { connectFiles } from "./files.js";
import { connectKeys } from "./keys.js";
import { connectMouse } from "./mouse.js";
import * as service from "./service.js";

/** The text that the address asks for, or null. */
function textOfAddress() {
  const found = new URLSearchParams(window.location.hash.slice(1)).get("text");
  return found === null || found === "" ? null : found;
}

function connectTools(app) {
  const on = (id, event, act) => byId(id).addEventListener(event, act);
  const showLevel = () => {
    const value = Number(byId("level").value);
    const isAll = value === Number(byId("level").max);
    app.settings.level = isAll ? Infinity : value;
    byId("level-told").textContent = isAll ? "all" : value ? `${value} deep` : "only nuclei";
    for (const row of app.list.rows) for (const view of row.views || []) if (view.isDrawn) view.fade();
  };
  const choose = (number) => {
    byId("text").value = EXAMPLES[number].text;
    app.parse(EXAMPLES[number].text);
  };
  on("parse", "click", () => app.parse(byId("text").value));
  on("text", "keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) app.parse(byId("text").value);
  });
  on("write", "click", () => app.showEntry(byId("entry").hidden));
  on("parse-document", "click", () => app.parseDocument());
  on("undo", "click", () => app.undo());
  on("redo", "click", () => app.redo());
  on("probs", "click", () => {
    app.settings.showProbs = !app.settings.showProbs;
    byId("probs").setAttribute("aria-pressed", String(app.settings.showProbs));
    app.list.redraw();
  });
  on("fold", "click", () => app.turnParagraphs());
  on("unsure", "click", () => app.goToUnsure(1));
  on("next", "click", () => app.comparison?.go(1));
  on("previous", "click", () => app.comparison?.go(-1));
  on("close-comparison", "click", () => app.show(app.document));
  on("level", "input", showLevel);
  on("help", "click", () => byId("keys").showModal());
  on("close-keys", "click", () => byId("keys").close());
  on("key", "submit", (event) => {
    event.preventDefault();
    service.useKey(byId("key-value").value);
    byId("key").hidden = true;
    begin(app);
  });
  for (const [number, { title }] of EXAMPLES.entries()) {
    const option = make("option", "", title);
    option.value = number;
    byId("examples").append(option);
    const button = make("button", "", title);
    button.type = "button";
    button.addEventListener("click", () => choose(number));
    byId("starts").append(button);
  }
  on("examples", "change", () => {
    const number = byId("examples").value;
    byId("examples").value = "";
    if (number !== "") choose(number);
  });
  on("trees-of", "change", () => window.localStorage.setItem("rhetree.level", byId("trees-of").value));
  on("theme", "change", () => {
    document.documentElement.dataset.theme = byId("theme").value;
    window.localStorage.setItem("rhetree.theme", byId("theme").value);
  });
  byId("theme").value = window.localStorage.getItem("rhetree.theme") || "auto";
  document.documentElement.dataset.theme = byId("theme").value;
  window.addEventListener("pagehide", () => app.saving && app.saveNow());
  window.addEventListener("hashchange", () => textOfAddress() !== null && begin(app));
}

/** Shows the text of the address, or else what this tab worked on. */
async function begin(app) {
  app.offer((await app.doing("", () => service.model())) || { labels: [], levels: [] });
  const [text, work] = [textOfAddress(), app.store.load()];
  if (work && (text === null || work.record.text === text)) app.restore(work);
  else if (text !== null) {
    byId("text").value = text;
    await app.parse(text);
  }
}

const app = new App();
window.rhetree = app; // for those who look inside, and for tests
connectTools(app);
connectFiles(app);
connectMouse(app);
connectKeys(app);
app.ready = begin(app);
