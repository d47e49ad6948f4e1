// Searches the guides, and the operations that this server offers to suppliers. What it needs is fetched when a reader begins.
const form = document.querySelector("form[role=search]");
const input = form.querySelector("input");
const results = document.getElementById("results");
const { root, library, index: source } = form.dataset;
const SHOWN = 8;
const here = (file) => new URL(root + file, location.href).href;
let index;

/** The names of the parameters and fields in a part of an OpenAPI document. A reference is followed once. */
function namesIn(part, document, names = new Set()) {
  if (typeof part !== "object" || part === null) return names;
  if (part.$ref) {
    if (names.has(part.$ref)) return names;
    names.add(part.$ref);
    return namesIn(part.$ref.split("/").slice(1).reduce((at, key) => at[key], document), document, names);
  }
  if (part.in) names.add(part.name);
  for (const name of Object.keys(part.properties ?? {})) names.add(name);
  for (const [key, value] of Object.entries(part)) if (!key.startsWith("example")) namesIn(value, document, names);
  return names;
}

/** A guide's part, or an operation: where it is, and the texts to look in. */
async function readParts() {
  const parts = await (await fetch(here(source))).json();
  try {
    const document = await (await fetch(here("../api/v1/supplier/openapi.json"))).json();
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { operationId, summary, description = "", ...operation }] of Object.entries(methods)) {
        if (!operationId) continue;
        const { parameters, requestBody, responses } = operation;
        const names = namesIn([parameters, requestBody, responses[200], responses[201], responses[202]], document);
        parts.push({
          address: `supplier-api.html#${operationId}`,
          title: "Reference for suppliers",
          heading: summary,
          text: [operationId, method, path, description, ...[...names].filter((name) => !name.startsWith("#"))].join(" "),
        });
      }
  } catch (problem) {
    console.info(`The search has the guides alone: ${problem.message}`);
  }
  return parts;
}

async function makeIndex() {
  const { default: MiniSearch } = await import(here(library));
  const made = new MiniSearch({
    idField: "address",
    fields: ["title", "heading", "text"],
    storeFields: ["title", "heading"],
    searchOptions: { boost: { title: 3, heading: 4 }, prefix: true, fuzzy: (term) => (term.length > 4 ? 0.2 : false) },
  });
  made.addAll(await readParts());
  return made;
}

/** First what has all words, then what has some. A page comes before its parts. */
async function find(words) {
  const made = await (index ??= makeIndex());
  const boostDocument = (id) => (id.includes("#") ? 1 : 2);
  const found = ["AND", "OR"].flatMap((combineWith) => made.search(words, { combineWith, boostDocument }));
  return [...new Map(found.map((one) => [one.id, one])).values()].slice(0, SHOWN);
}

function listOf(found) {
  const list = document.createElement("ul");
  for (const { id, title, heading } of found) {
    const link = Object.assign(document.createElement("a"), { href: here(id), textContent: heading || title });
    if (heading) link.append(Object.assign(document.createElement("small"), { textContent: title }));
    const entry = document.createElement("li");
    entry.append(link);
    list.append(entry);
  }
  return list;
}

/** `state` is said to those who do not see the list. */
function show(found) {
  const text = found.length === 0 ? "Nothing was found." : `${found.length} results`;
  const state = Object.assign(document.createElement("p"), { textContent: text });
  state.setAttribute("role", "status");
  results.replaceChildren(state, listOf(found));
  results.hidden = false;
}

async function search() {
  const words = input.value.trim();
  if (!words) return close();
  const found = await find(words);
  if (words === input.value.trim()) show(found); // no later letter has overtaken it
}

function close() {
  results.hidden = true;
}

function move(event, step) {
  const stops = [input, ...results.querySelectorAll("a")];
  event.preventDefault();
  stops[Math.max(0, Math.min(stops.indexOf(document.activeElement) + step, stops.length - 1))].focus();
}

form.hidden = false;
input.addEventListener("focus", () => (index ??= makeIndex()));
input.addEventListener("input", search);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
form.addEventListener("keydown", (event) => {
  if (results.hidden) return;
  if (event.key === "ArrowDown") move(event, 1);
  else if (event.key === "ArrowUp") move(event, -1);
  else if (event.key === "Escape") {
    close();
    input.focus();
  }
});
form.addEventListener("focusout", (event) => {
  if (!form.contains(event.relatedTarget)) close();
});
results.addEventListener("click", (event) => {
  if (event.target.closest("a")) close(); // it may lead to a part of the same page
});
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  event.preventDefault();
  input.focus();
});

// A page that is not there: what comes close to the words of its address.
const instead = document.getElementById("instead");
if (instead) {
  const words = location.pathname.split("/").pop().replace(/\.\w+$/, "").replace(/[^\p{L}\d]+/gu, " ").trim();
  const found = words ? await find(words) : [];
  if (found.length > 0) {
    const text = "These pages come close to the address:";
    instead.after(Object.assign(document.createElement("p"), { textContent: text }), listOf(found));
  }
}
