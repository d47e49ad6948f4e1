// Swagger UI has a dark form, but does not choose it by itself.
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", paint);
paint();

/** What Swagger UI leaves out for those who do not see the page, or have no mouse. Done again after each of its changes. */
function completeForEverybody(place) {
  const all = (selector) => place.querySelectorAll(selector);
  for (const row of all("tr[data-param-name]"))
    for (const field of row.querySelectorAll("select, input, textarea")) label(field, row.dataset.paramName);
  for (const field of all("textarea.body-param__text")) label(field, "Request body");
  for (const field of all(".content-type")) label(field, "Content type");
  for (const field of all(".auth-container input")) label(field, "Key");
  for (const field of all("#servers")) label(field, "Server");
  for (const button of all(".close-modal")) label(button, "Close");
  for (const button of all(".modal-btn[aria-label]")) button.removeAttribute("aria-label"); // its text is another
  for (const code of all("pre:not(.version)")) if (!code.hasAttribute("tabindex")) code.tabIndex = 0; // so that keys scroll it
  for (const link of all("button a[href]")) link.removeAttribute("href"); // the button does the same
}

function label(element, text) {
  if (element.getAttribute("aria-label") !== text) element.setAttribute("aria-label", text);
}

/** Swagger UI fills in a parameter's example. Of one that may be left out it would narrow every list. */
function withoutExamplesOfOptionalParameters(node) {
  if (Array.isArray(node)) return node.map(withoutExamplesOfOptionalParameters);
  if (node === null || typeof node !== "object") return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, withoutExamplesOfOptionalParameters(value)]),
  );
  if (["query", "header"].includes(copy.in) && !copy.required) {
    delete copy.example;
    delete copy.examples;
    if (copy.schema) {
      delete copy.schema.example;
      delete copy.schema.examples;
    }
  }
  return copy;
}

async function show(place) {
  const response = await fetch(place.dataset.document);
  if (!response.ok) throw new Error(`The server has no such document (${response.status}).`);
  new MutationObserver(() => completeForEverybody(place)).observe(place, { childList: true, subtree: true });
  SwaggerUIBundle({
    domNode: place,
    spec: withoutExamplesOfOptionalParameters(await response.json()),
    validatorUrl: null, // it would be another host's
    persistAuthorization: false,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    deepLinking: true,
    filter: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    syntaxHighlight: { theme: "tomorrow-night" },
  });
}

const place = document.getElementById("reference");
show(place).catch((problem) => {
  place.textContent = `The reference cannot be shown. ${problem.message}`;
  place.setAttribute("role", "alert");
});
