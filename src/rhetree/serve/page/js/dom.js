// Small words for the document of the browser.

/** The element with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** An HTML element with a class and a text. */
export function make(name, kind = "", text = "") {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text) made.textContent = text;
  return made;
}
