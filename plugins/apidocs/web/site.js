// Without this script the pages show all languages one below the other.
const STORED = "language";
const groups = [...document.querySelectorAll(".examples")].filter((group) => group.children.length > 1);

function stored() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // a browser that keeps nothing
  }
}

/** In every group that has the language; a group shows its first one until then. */
function show(language) {
  for (const group of groups) {
    const tabs = [...group.querySelectorAll("[role=tab]")];
    const chosen = tabs.find((tab) => tab.dataset.language === language);
    if (chosen) select(chosen, tabs);
  }
}

function select(chosen, tabs) {
  for (const tab of tabs) {
    tab.setAttribute("aria-selected", tab === chosen);
    tab.tabIndex = tab === chosen ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
  }
}

/** The tab that was used stays where it is on the screen, whatever gets longer or shorter above it. */
function choose(tab) {
  const before = tab.getBoundingClientRect().top;
  show(tab.dataset.language);
  scrollBy(0, tab.getBoundingClientRect().top - before);
  try {
    localStorage.setItem(STORED, tab.dataset.language);
  } catch {
    // as above
  }
}

function makeTabs(group, number) {
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language");
  for (const panel of group.querySelectorAll(".example")) {
    const { language, name } = panel.dataset;
    const tab = document.createElement("button");
    Object.assign(tab, { type: "button", textContent: name, id: `tab-${number}-${language}` });
    tab.dataset.language = language;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", (panel.id = `example-${number}-${language}`));
    tab.addEventListener("click", () => choose(tab));
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    list.append(tab);
  }
  list.addEventListener("keydown", (event) => {
    const tabs = [...list.children];
    const at = tabs.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = tabs[to % tabs.length];
    choose(tab);
    tab.focus();
  });
  group.prepend(list);
  select(list.firstChild, [...list.children]);
}

function addCopyButton(example) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(example.querySelector("code:not(.caption code)").textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  example.append(button);
}

// The server that these pages come from is the one to call.
for (const code of document.querySelectorAll("pre code")) {
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    walker.currentNode.data = walker.currentNode.data.replaceAll("https://api.example.com", location.origin);
}
groups.forEach(makeTabs);
show(stored());
if (navigator.clipboard) document.querySelectorAll(".example").forEach(addCopyButton);
const isNarrow = (width) => matchMedia(`(max-width: ${width})`).matches;
if (isNarrow("50rem")) document.querySelector("nav.menu details").open = false;
const here = document.querySelector("nav.here details");
if (here && isNarrow("72rem")) here.open = false;
