// "Try it" for each operation of the reference, and colours of code. Everything else is in the page without this script.

/** What the reader types stays in this page, and is sent to this server alone. */
const key = addKeyField();

function create(name, properties = {}, ...children) {
  const { className, ...others } = properties;
  const element = Object.assign(document.createElement(name), others);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function field(name, input) {
  return create("label", {}, create("span", { textContent: name }), input);
}

function addKeyField() {
  const input = create("input", { type: "password", autocomplete: "off", spellcheck: false, name: "key" });
  const form = create("form", { className: "key" }, field("Key", input));
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("try").append(form);
  return input;
}

function parametersOf(operation) {
  return [...operation.querySelectorAll("dt[data-in]")].map((row) => ({
    place: row.dataset.in,
    name: row.querySelector("code").textContent,
    isRequired: row.querySelector("strong") !== null,
  }));
}

function bodyInput({ type, body }) {
  if (type === "application/json" || type.startsWith("text/"))
    return create("textarea", { value: body, rows: Math.min(body.split("\n").length + 1, 16), spellcheck: false, name: "body" });
  return create("input", { type: "file", name: "body" });
}

/** The form that the button opens, made when it is wanted. */
function makeForm(operation) {
  const form = create("form", { className: "try" });
  const inputs = parametersOf(operation).map((parameter) => {
    const input = create("input", { type: "text", required: parameter.isRequired, autocomplete: "off", spellcheck: false });
    form.append(field(parameter.name, input));
    return { ...parameter, input };
  });
  const body = operation.dataset.type ? bodyInput(operation.dataset) : null;
  if (body) form.append(field(`Body, ${operation.dataset.type}`, body));
  const answer = create("output", {});
  form.append(create("button", { type: "submit", textContent: "Send" }), answer);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    answer.replaceChildren(create("p", { textContent: "Waiting for the response…" }));
    try {
      answer.replaceChildren(...(await send(operation, inputs, body)));
    } catch (problem) {
      answer.replaceChildren(create("p", { textContent: `No response came: ${problem.message}` }));
    }
  });
  return form;
}

async function send(operation, inputs, body) {
  let path = operation.dataset.path;
  const query = new URLSearchParams();
  const headers = key.value ? { Authorization: `Bearer ${key.value}` } : {};
  for (const { place, name, input } of inputs) {
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(input.value));
    else if (input.value !== "" && place === "query") query.set(name, input.value);
    else if (input.value !== "") headers[name] = input.value;
  }
  const request = { method: operation.dataset.method, headers, cache: "no-store", credentials: "omit" };
  if (body) {
    headers["Content-Type"] = operation.dataset.type;
    request.body = body.type === "file" ? body.files[0] : body.value;
  }
  const response = await fetch(path + (query.size ? `?${query}` : ""), request);
  return [
    create("p", { className: "prints", textContent: `Response: ${response.status} ${response.statusText}` }),
    create("pre", { className: "output", tabIndex: 0 }, create("samp", { textContent: await shown(response) })),
  ];
}

/** Numbers stay as they were sent, in browsers that can: 0.0850. */
function indented(json) {
  const exact = (_, value, context) => (typeof value === "number" && JSON.rawJSON ? JSON.rawJSON(context.source) : value);
  try {
    return JSON.stringify(JSON.parse(json, exact), null, 2);
  } catch {
    return json; // empty, or cut off
  }
}

async function shown(response) {
  const type = response.headers.get("Content-Type") ?? "";
  if (type.startsWith("application/json")) return indented(await response.text());
  if (type.startsWith("text/")) return response.text();
  return `${(await response.blob()).size} bytes of ${type || "nothing"}`;
}

for (const operation of document.querySelectorAll(".operation[data-method]")) {
  const button = create("button", { type: "button", className: "secondary", textContent: "Try it" });
  button.setAttribute("aria-expanded", false);
  let form;
  button.addEventListener("click", () => {
    form ??= button.insertAdjacentElement("afterend", makeForm(operation));
    form.hidden = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", !form.hidden);
    if (!form.hidden) form.querySelector("input, textarea, button").focus();
  });
  operation.querySelector(".sample").append(button);
}

// The section of the operation that the address names is open in the menu.
function openMenu() {
  const link = document.querySelector(`nav a[href="#${CSS.escape(location.hash.slice(1))}"]`);
  if (link) link.closest("details").open = true;
}
addEventListener("hashchange", openMenu);
openMenu();

// Texts are marked without elements of their own; a block when it comes into view.
const COLOURS = { string: /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, number: /\b\d+(?:\.\d+)?\b|\b(?:true|false|null)\b/g };

function colour(code) {
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    let strings = [];
    for (const [name, pattern] of Object.entries(COLOURS))
      for (const { index, 0: text } of node.data.matchAll(pattern)) {
        if (strings.some(([from, to]) => from <= index && index < to)) continue;
        if (name === "string") strings.push([index, index + text.length]);
        const isName = name === "string" && node.data.startsWith(":", index + text.length);
        const range = new StaticRange({ startContainer: node, startOffset: index, endContainer: node, endOffset: index + text.length });
        CSS.highlights.get(isName ? "name" : name).add(range);
      }
  }
}

if (globalThis.CSS?.highlights) {
  for (const name of ["name", "string", "number"]) CSS.highlights.set(name, new Highlight());
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries)
      if (isIntersecting) {
        seen.unobserve(target);
        colour(target);
      }
  }, { rootMargin: "500px" });
  for (const code of document.querySelectorAll(".sample pre")) seen.observe(code);
}
