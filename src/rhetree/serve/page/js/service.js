// The page's requests, all to the service that it came from.

/** An error that the service told. */
export class ServiceError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export const FORMATS = {
  ".dis": "dis", ".rs3": "rs3", ".rs4": "rs4", ".rsd": "rsd", ".brackets": "brackets", ".edus": "edus",
  ".edus.txt": "edus",
  ".conllu": "conllu", ".tok": "tok", ".json": "json", ".jsonl": "jsonl",
};

let key = "";
try {
  key = window.sessionStorage.getItem("rhetree.key") || "";
} catch {
  key = ""; // a browser that keeps nothing
}

/** The key that requests have from now on; kept until the tab is closed. */
export function useKey(value) {
  key = value;
  window.sessionStorage.setItem("rhetree.key", value);
}

async function send(path, body) {
  const headers = { "Content-Type": "application/json" };
  if (key) headers.Authorization = `Bearer ${key}`;
  let answer;
  try {
    answer = await fetch(`.${path}`, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  } catch {
    throw new ServiceError("unreachable", "The service does not answer. Is it still running?");
  }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  const { code = String(answer.status), message = `The service answered with ${answer.status}.` } = told.error || {};
  throw new ServiceError(code, message);
}

/** What is known of the model: its labels, such as elaboration-NS, and the levels up to which its trees can go. */
export async function model() {
  const { models } = await (await send("/v1/models")).json();
  return models[0];
}

/** The document of a text, or of a request for /v1/parse. */
export async function parse(body) {
  return (await send("/v1/parse", typeof body === "string" ? { text: body } : body)).json();
}

/** A record in another format: its content. */
export async function convert(record, to) {
  return (await (await send("/v1/convert", { document: record, to })).json()).content;
}

/** A picture of a record, as a Blob. */
export async function draw(record, format, theme) {
  return (await send("/v1/draw", { document: record, format, theme, by_sentence: false })).blob();
}

/** The records of a file. */
export async function read(content, format, name) {
  // A document of our own goes as it is, since only its text counts against the limit of the service.
  const own = format === "json" ? parsed(content) : null;
  const { content: lines } = await (await send("/v1/convert", { document: own || { content, format, name }, to: "jsonl" })).json();
  return lines.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

/** The record in a JSON file, or null: then the service says what is wrong with it, and in which line. */
function parsed(content) {
  try {
    const record = JSON.parse(content);
    return record && typeof record === "object" && typeof record.id === "string" ? record : null;
  } catch {
    return null;
  }
}

/** The format of a file by its name's ending, the longest that fits; null for one that we read as text. */
export function formatOf(name) {
  const fitting = Object.keys(FORMATS).filter((ending) => name.toLowerCase().endsWith(ending));
  fitting.sort((one, other) => other.length - one.length);
  return fitting.length ? FORMATS[fitting[0]] : null;
}
