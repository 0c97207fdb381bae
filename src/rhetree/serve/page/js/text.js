// Measures text in pixels and breaks it into lines: the same as rhetree/draw/text.py, so that a diagram on the page
// has the geometry of our SVG. A character is as wide as in the wider of two common fonts.

const WIDTHS = {
  278: "'ijl",
  318: " ,.I‘’·",
  352: "/:;\\f|¦",
  392: "()-[]t",
  411: "!r¡",
  460: '"',
  525: "*J`sz“”",
  557: "L?_c–",
  592: "kvxy•",
  615: "FT¿aeoø«»",
  636: "$0123456789bdghnpqu{}€ß",
  667: "EKPSY",
  690: "ABVXZמקשת",
  732: "CRUд",
  752: "HNм",
  787: "&DGOQØىيئقلن",
  838: "#+<=>^w~≠−×÷±¬كыюω",
  863: "MМΜΦФф",
  950: "%жњљшщتبثطظЫ",
  1000: "Wm—…Ææ™→©®¼½¾",
  1080: "@œŒفЖЊШЮЉЩ",
  1220: "سشصض",
};

export const BOLD = 1.2; // width of bold text divided by that of the same text in regular weight

const ems = new Map();
for (const [width, characters] of Object.entries(WIDTHS)) {
  for (const character of characters) ems.set(character, width / 1000);
}

const NO_COLUMN = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;
const TWO_COLUMNS =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const CLOSING = /^[.,;:!?%)\]}’”…·]+$/;
const CLINGS = /[\p{Pe}\p{Pf}\p{Po}]/u;
const HYPHENS = /(?<=[\p{L}\p{N}_][-\u2010\u2013\u2014/])(?=[\p{L}\p{N}_])/u;
const FORBIDDEN = /[\x00-\x1f\x7f-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text on one line, with characters that control a terminal or are none replaced by U+FFFD. */
export function clean(text) {
  return text.split(/\s+/u).filter(Boolean).join(" ").replace(FORBIDDEN, "\ufffd");
}

function columnsOf(character) {
  if (NO_COLUMN.test(character)) return 0;
  return TWO_COLUMNS.test(character) ? 2 : 1;
}

function emsOf(character) {
  let width = ems.get(character);
  if (width !== undefined) return width;
  const columns = columnsOf(character);
  const base = String.fromCodePoint(character.normalize("NFD").codePointAt(0));
  if (columns !== 1) width = columns / 2;
  else if (base !== character) width = emsOf(base);
  else width = /\p{Lu}/u.test(character) ? 0.8 : 0.67;
  ems.set(character, width);
  return width;
}

/** Width of a text in a font of this size. */
export function pixels(text, size) {
  let sum = 0;
  for (const character of text) sum += emsOf(character);
  return size * sum;
}

/** Breaks a text into lines no wider than `room`. */
export function wrap(text, room, size) {
  return fill(measured(text, room, size), room, pixels(" ", size));
}

/** Width of the widest part that wrap keeps on one line if there is room. */
export function widestPart(text, size) {
  let widest = 0;
  for (const word of text.split(" ")) {
    for (const piece of pieces(word)) {
      for (const part of piece.split(HYPHENS)) widest = Math.max(widest, pixels(part, size));
    }
  }
  return widest;
}

/** Breaks a text into as many lines as wrap does, but of similar length. */
export function wrapEvenly(text, room, size) {
  const parts = measured(text, room, size);
  const space = pixels(" ", size);
  let lines = fill(parts, room, space);
  let least = Math.max(room * 0.6, ...parts.map((part) => part.width));
  while (lines.length > 1 && room - least > 2) {
    const middle = (room + least) / 2;
    const narrower = fill(parts, middle, space);
    if (narrower.length === lines.length) [lines, room] = [narrower, middle];
    else least = middle;
  }
  return lines;
}

function fill(parts, room, space) {
  const lines = [];
  let line = "";
  let used = 0;
  for (const part of parts) {
    const glue = line && part.opensWord ? space : 0;
    if (line && used + glue + part.width > room) {
      lines.push(line);
      [line, used] = [part.text, part.width];
    } else {
      line += glue ? ` ${part.text}` : part.text;
      used += glue + part.width;
    }
  }
  return line ? [...lines, line] : lines;
}

function measured(text, room, size) {
  const found = [];
  for (const word of words(text, room, size)) {
    let opensWord = true;
    for (const piece of pieces(word)) {
      for (const part of parts(piece, room, size)) {
        found.push({ opensWord, text: part, width: pixels(part, size) });
        opensWord = false;
      }
    }
  }
  return found;
}

/** The words of a text; closing punctuation belongs to the word before it if both fit on a line. */
function words(text, room, size) {
  const found = [];
  for (const word of text.split(" ").filter(Boolean)) {
    const before = found[found.length - 1];
    if (before && CLOSING.test(word) && ![...before].some((character) => columnsOf(character) === 2)) {
      const joined = `${before} ${word}`;
      if (pixels(joined, size) <= room) {
        found[found.length - 1] = joined;
        continue;
      }
    }
    found.push(word);
  }
  return found;
}

function parts(piece, room, size) {
  if (pixels(piece, size) <= room) return [piece];
  const hyphenated = piece.split(HYPHENS);
  if (hyphenated.length > 1) return hyphenated.flatMap((each) => parts(each, room, size));
  const found = [""];
  let used = 0;
  for (const character of piece) {
    const width = pixels(character, size);
    if (found[found.length - 1] && used + width > room && columnsOf(character)) {
      found.push("");
      used = 0;
    }
    found[found.length - 1] += character;
    used += width;
  }
  return found;
}

/** The parts of a word between which a line may break; each East Asian character is a part. */
function pieces(word) {
  if (/^[\x00-\x7f]*$/.test(word)) return [word];
  const found = [""];
  for (const character of word) {
    const last = found[found.length - 1];
    const wide = columnsOf(character) === 2;
    const followsWide = last !== "" && columnsOf(String.fromCodePoint(last.codePointAt(0))) === 2;
    const clings = columnsOf(character) === 0 || CLINGS.test(character);
    if (last && (wide || followsWide) && !clings) found.push(character);
    else found[found.length - 1] += character;
  }
  return found;
}
