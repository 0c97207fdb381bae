"use strict";
// Shows openapi.json: the routes, the keys of their bodies, and a form that sends a request.

const EXAMPLES = {
  "/v1/parse": { text: "He left early because it rained." },
  "/v1/segment": { text: "He left early because it rained." },
  "/v1/convert": { document: { content: "He left early\nbecause it rained.\n", format: "edus" }, to: "json" },
  "/v1/draw": { document: { content: "He left early\nbecause it rained.\n", format: "edus" } },
  "/v1/score": {
    gold: { content: "He left early\nbecause it rained.\n", format: "edus" },
    predicted: { content: "He left early because it rained.\n", format: "edus" },
  },
};

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function typeOf(schema, all) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, all)).join(" | ");
  if (schema.type === "array") return `list of ${typeOf(schema.items || {}, all)}`;
  return schema.title === "Document" ? "document" : schema.type || "anything";
}

function tableOf(schema, all) {
  const rows = Object.entries(schema.properties || {}).map(([key, value]) => {
    const needed = (schema.required || []).includes(key) ? " (required)" : "";
    return element("tr", "",
      element("td", "", element("code", key)),
      element("td", typeOf(value, all) + needed),
      element("td", value.description || ""));
  });
  const head = element("tr", "", element("th", "Key"), element("th", "Value"), element("th", ""));
  return element("table", "", element("thead", "", head), element("tbody", "", ...rows));
}

async function send(path, method, body, output) {
  const headers = { "Content-Type": "application/json" };
  const key = document.getElementById("key").value;
  if (key) headers.Authorization = `Bearer ${key}`;
  output.textContent = "…";
  try {
    const answer = await fetch("." + path, { method, headers, body });
    output.textContent = `${answer.status} ${answer.headers.get("content-type") || ""}\n\n${await answer.text()}`;
  } catch (error) {
    output.textContent = String(error);
  }
}

function show(path, method, operation, all) {
  const details = element("details", "", element("summary", `${method.toUpperCase()} ${path}`));
  details.append(element("p", operation.description || ""));
  const content = operation.requestBody && operation.requestBody.content["application/json"];
  let input = null;
  if (content) {
    details.append(tableOf(all[content.schema.$ref.split("/").pop()], all));
    input = element("textarea", JSON.stringify(EXAMPLES[path] || {}, null, 2));
    input.setAttribute("aria-label", `Body of ${path}`);
    details.append(element("p"), input);
  }
  const button = element("button", "Send");
  const output = element("pre");
  output.setAttribute("aria-live", "polite");
  button.addEventListener("click", () => send(path, method.toUpperCase(), input ? input.value : undefined, output));
  const codes = Object.entries(operation.responses).map(([status, told]) => `${status}: ${told.description}`);
  details.append(element("p", "", button), output, element("p", codes.join(" · ")));
  return details;
}

async function start() {
  const described = await (await fetch("./openapi.json")).json();
  document.getElementById("about").textContent = `${described.info.description} Version ${described.info.version}.`;
  const main = document.getElementById("operations");
  for (const [path, methods] of Object.entries(described.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      main.append(show(path, method, operation, described.components.schemas));
    }
  }
}

start();
