// Files: opening them by a dialog or by dropping, saving them in any format, and work that this browser keeps.

import { byId, make } from "./dom.js";
import { bareRecord, fromRecord, panelRecord, textOf } from "./document.js";
import * as service from "./service.js";

const LONGEST_LINK = 6000;

export function connectFiles(app) {
  let isComparing = false;
  byId("open").addEventListener("click", () => pick(false));
  byId("file").addEventListener("change", () => {
    const [file] = byId("file").files;
    byId("file").value = "";
    if (file) take(file);
  });

  function pick(toCompare) {
    isComparing = toCompare;
    byId("file").click();
  }

  /** Opens a file: one of our formats, or text to parse. */
  async function take(file) {
    const toCompare = isComparing && app.document;
    isComparing = false;
    const content = await file.text();
    const format = service.formatOf(file.name);
    if (format === null && toCompare) {
      app.say(`${file.name}: not one of ${Object.keys(service.FORMATS).join(", ")}, so there is nothing to compare.`, true);
    } else if (format === null) {
      byId("text").value = content;
      await app.parse(content);
    } else {
      await app.doing(`Opening ${file.name} …`, async () => {
        const records = await service.read(content, format, file.name);
        if (toCompare) {
          const same = records.find((record) => record.id === app.document.base.id) || records[0];
          app.compareWith(fromRecord(same), file.name);
        } else {
          offer(records, file.name);
        }
      });
    }
  }

  /** Shows the first document of a file, and a list if it has several. */
  function offer(records, name) {
    byId("pick-label").hidden = records.length < 2;
    byId("pick").replaceChildren(...records.map((record, number) => {
      const option = make("option", "", record.id || `${number + 1}`);
      option.value = number;
      return option;
    }));
    byId("pick").onchange = () => app.start(records[byId("pick").value], `${name}: ${byId("pick").selectedOptions[0].text}`);
    app.start(records[0], name);
    byId("text").value = records[0].text;
    app.showEntry(false);
  }

  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const [file] = event.dataTransfer.files;
    const text = event.dataTransfer.getData("text");
    if (file) await take(file);
    else if (text) {
      byId("text").value = text;
      await app.parse(text);
    }
  });

  byId("save").addEventListener("click", (event) => {
    const format = event.target.dataset.format;
    if (format) save(app, format);
  });
  byId("compare").addEventListener("click", (event) => {
    const what = event.target.dataset.with;
    if (!what) return;
    if (!app.document) app.say("There is nothing to compare yet.", true);
    else if (what === "file") pick(true);
    else if (what === "start") compareWithStart(app);
    else compareWithParser(app);
  });
  byId("link").addEventListener("click", () => link(app));
  connectMenus();
  byId("more").addEventListener("toggle", () => byId("more").open && listWorks(app));
}

function connectMenus() {
  const menus = [...document.querySelectorAll(".menu")];
  document.addEventListener("click", (event) => {
    for (const menu of menus) {
      const isInside = menu.contains(event.target);
      if (menu.open && (!isInside || event.target.closest(".items button"))) menu.open = false;
    }
  });
  for (const menu of menus) {
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary").focus();
      event.stopPropagation();
    });
  }
}

async function compareWithParser(app) {
  await app.doing("Parsing the same text …", async () => {
    const level = app.levels.includes(app.level) ? app.level : "sentence";
    app.compareWith(fromRecord(await service.parse({ document: bareRecord(app.document), edus: "auto", level })), "the parser’s reading");
  });
}

function compareWithStart(app) {
  if (app.opened) app.compareWith(fromRecord(app.opened), "what was first opened");
  else app.say("What was first opened is not kept any more.", true);
}

/** Saves the document as a file of this format. */
export async function save(app, format) {
  if (!app.document) {
    app.say("There is nothing to save yet.", true);
    return;
  }
  await app.doing(`Writing ${format} …`, async () => {
    const name = (app.document.base.id || "document").replace(/[^\p{L}\p{N}._-]+/gu, "-");
    download(await contentOf(app, format), `${name}.${format}`);
    app.say(`Saved ${name}.${format}.`);
  });
}

async function contentOf(app, format) {
  if (format === "txt") return new Blob([remainingText(app)], { type: "text/plain" });
  if (format === "svg" || format === "png") return service.draw(app.record(), format, themeOf());
  const record = format === "dis" && !app.document.isWhole ? chosenRecord(app) : app.record();
  return new Blob([await service.convert(record, format)], { type: "text/plain" });
}

/** The chosen sentence, or the only one, as a document of its own. */
function chosenRecord(app) {
  const isOnly = app.document.panels.length === 1;
  if (!isOnly && !app.choice) throw new Error("A .dis file holds one tree: choose a sentence first.");
  return panelRecord(app.document, isOnly ? 0 : app.choice.number);
}

/** A picture is light, unless dark was asked for. */
function themeOf() {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

/** The text of the EDUs that the slider leaves. */
export function remainingText(app) {
  const lines = app.document.panels.map((panel, number) => {
    const { ranks } = app.list.view(number);
    const kept = (panel.edus || [panel.tokens]).filter((_, at) => !(ranks[at] > app.settings.level));
    return kept.map(([start, end]) => textOf(app.document, start, end)).join(" ");
  });
  return `${lines.join("\n")}\n`;
}

function download(blob, name) {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Puts the text into the page's address, which stays in the browser. */
async function link(app) {
  const text = byId("text").value || (app.document && app.document.base.text) || "";
  const hash = `#${new URLSearchParams({ text })}`;
  if (!text.trim() || hash.length > LONGEST_LINK) {
    app.say(text.trim() ? "This text is too long for a link." : "There is no text yet.", true);
    return;
  }
  window.history.replaceState(null, "", hash);
  try {
    await navigator.clipboard.writeText(window.location.href);
    app.say("The address of this page now holds the text; it is on the clipboard.");
  } catch {
    app.say("The address of this page now holds the text.");
  }
}

/** Lists the work that this browser keeps. */
function listWorks(app) {
  const works = app.store.list().filter((work) => work.key !== app.store.key);
  byId("works").replaceChildren(...works.slice(0, 8).map((work) => {
    const steps = work.nSteps ? `, ${work.nSteps} corrected` : "";
    const made = make("button", "", `${work.title.slice(0, 40) || "untitled"} (${new Date(work.saved).toLocaleString()}${steps})`);
    made.type = "button";
    made.addEventListener("click", () => {
      const found = app.store.open(work.key);
      if (found) app.restore(found);
    });
    return made;
  }));
  if (works.length) byId("works").prepend(make("p", "", "Earlier work in this browser"));
}
