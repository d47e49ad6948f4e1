// Makes the pages of /docs: `node build.mjs <guides> <work>`, where <work> has node_modules, writes <work>/docs. The names of
// scripts, styles and of what the search reads end with a hash of their bytes, so browsers keep them for ever. Each guide is
// also there as Markdown, and llms.txt lists them for programs that read.
// The guides are Markdown. Adjacent code blocks of several languages are one example, which site.js shows as tabs; a block's
// second word is the name of the file to save it as, or `setup` when it is not to be run. A block `output` is what each of the
// examples above it prints.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(fileURLToPath(import.meta.url));
const [guides, work] = process.argv.slice(2);
const modules = join(work, "node_modules");
const out = join(work, "docs");
const require = createRequire(join(work, "package.json"));
const hljs = require("highlight.js/lib/common");
const MarkdownIt = require("markdown-it");
const anchor = require("markdown-it-anchor");

// In the order of the menu. The names are those of the files.
const SECTIONS = {
  Start: ["index", "first-request", "clients", "keys", "sandbox", "going-live"],
  Guides: ["lists-and-sync", "bulk-updates", "spreadsheets", "images", "orders", "webhooks", "other-systems"],
  "Look up": ["errors", "history", "limits", "idempotency", "versions", "changelog"],
};
const REFERENCES = [
  { name: "supplier-api", title: "Reference for suppliers", document: "../api/v1/supplier/openapi.json" },
  { name: "platform-api", title: "Reference for operators", document: "../api/v1/platform/openapi.json" },
];
const LANGUAGES = { sh: "curl", js: "JavaScript", php: "PHP", python: "Python" };

const markdown = new MarkdownIt({ html: true, highlight });
markdown.use(anchor, { permalink: anchor.permalink.headerLink({ safariReaderFix: true }), level: [2, 3] });
const escape = markdown.utils.escapeHtml;

function highlight(code, language) {
  return hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escape(code);
}

function isExample(token) {
  return token?.type === "fence" && token.info.split(" ")[0] in LANGUAGES;
}

// A wide block is scrolled by the keyboard too, so it can be focused.
markdown.renderer.rules.fence = (tokens, index) => {
  const token = tokens[index];
  const [language, file] = token.info.split(" ");
  const code = highlight(token.content, language);
  if (language === "output") return `<p class="prints">prints</p>\n<pre class="output" tabindex="0"><samp>${code}</samp></pre>\n`;
  if (!isExample(token)) return `<pre tabindex="0"><code>${code}</code></pre>\n`;
  const caption = file === "setup" ? "" : `${LANGUAGES[language]}${file ? `: <code>${escape(file)}</code>` : ""}`;
  const block = `<div class="example" data-language="${language}" data-name="${LANGUAGES[language]}">
<p class="caption">${caption}</p><pre tabindex="0"><code>${code}</code></pre>
</div>\n`;
  const open = isExample(tokens[index - 1]) ? "" : '<div class="examples">\n';
  const close = isExample(tokens[index + 1]) ? "" : "</div>\n";
  return open + block + close;
};
markdown.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>\n';
markdown.renderer.rules.table_close = () => "</table></div>\n";

/** The text of inline Markdown, without its marks. */
function textOf(inline) {
  return inline.children.map(({ type, content }) => (type === "softbreak" ? " " : content)).join("");
}

/** What stands below each heading, as text: the search finds these. The first has no heading. */
function partsOf(tokens) {
  const parts = [{ id: "", level: 0, heading: "", text: "" }];
  tokens.forEach((token, index) => {
    const level = token.type === "heading_open" ? Number(token.tag[1]) : 0;
    if (level > 1) parts.push({ id: token.attrGet("id"), level, heading: textOf(tokens[index + 1]), text: "" });
    else if (token.type === "inline" && tokens[index - 1].type !== "heading_open") parts.at(-1).text += `${textOf(token)} `;
  });
  return parts;
}

function readGuide(name) {
  const source = readFileSync(join(guides, `${name}.md`), "utf8");
  const tokens = markdown.parse(source, {});
  const inline = tokens.filter(({ type }) => type === "inline");
  const lead = textOf(inline[1]); // the first paragraph
  return {
    name,
    title: textOf(inline[0]),
    lead,
    summary: lead.match(/^.+?(?:[.?](?= )|$)/)[0],
    source,
    parts: partsOf(tokens),
    content: markdown.renderer.render(tokens, markdown.options, {}),
  };
}

function linksTo(parts) {
  const link = ({ id, level, heading }) => `<li class="level-${level}"><a href="#${id}">${escape(heading)}</a></li>`;
  return parts.length < 3 ? "" : `<nav class="here" aria-label="On this page">
<details open>
<summary>On this page</summary>
<ul>
${parts.slice(1).map(link).join("\n")}
</ul>
</details>
</nav>`;
}

/** Links to the guides before and behind, in the order of the menu. */
function neighbours(name) {
  const at = guidePages.findIndex((page) => page.name === name);
  const link = (page, rel, label) =>
    page ? `<a rel="${rel}" href="${addressOf(page)}"><small>${label}</small> ${escape(page.title)}</a>` : "<span></span>";
  return `<nav class="neighbours" aria-label="Previous and next page">
${link(guidePages[at - 1], "prev", "Previous")}
${link(guidePages[at + 1], "next", "Next")}
</nav>`;
}

function addressOf({ name }) {
  return name === "index" ? "./" : `${name}.html`;
}

function menu(current, root) {
  const link = (page) =>
    `<li><a href="${root}${addressOf(page)}"${page.name === current ? ' aria-current="page"' : ""}>${escape(page.title)}</a></li>`;
  const group = ([title, names]) => `<li><strong>${title}</strong>
<ul>
${names.map((name) => link(pages.find((page) => page.name === name))).join("\n")}
</ul></li>`;
  const references = ["Reference", REFERENCES.map(({ name }) => name)];
  return [...Object.entries(SECTIONS), references].map(group).join("\n");
}

const template = readFileSync(join(web, "page.html"), "utf8");

function writePage({ name, title, content, head = "", contents = "", here = "", after = "", kind = "guide", root = "" }) {
  const values = { title: escape(title), name, kind, menu: menu(name, root), content, head, contents, here, after, root };
  const page = template.replace(/\{\{(\w+)\}\}/g, (_, key) => values[key]);
  writeFileSync(join(out, `${name}.html`), page.replace(/\{(\w[\w.-]+)\}/g, (text, file) => files[file] ?? text));
}

/** A guide's address with .md. Its links lead to Markdown too, but for the references, which the server makes. */
function writeMarkdown({ name, source }) {
  const isGuide = (to) => guidePages.some((page) => page.name === to);
  const linked = source.replace(/\]\(([\w-]+)\.html/g, (link, to) => (isGuide(to) ? `](${to}.md` : link));
  writeFileSync(join(out, `${name}.md`), linked);
}

/** As https://llmstxt.org has it. */
function writeLlms() {
  const [index] = guidePages;
  const sections = Object.entries(SECTIONS).map(([title, names]) => {
    const guides = guidePages.filter(({ name }) => names.includes(name));
    return [title, guides.map(({ name, title, summary }) => `- [${title}](${name}.md): ${summary}`)];
  });
  const documents = REFERENCES.map(({ title, document }) => `- [${title}](${document}): the OpenAPI document of this server`);
  const text = [
    `# ${index.title}`,
    `> ${index.lead}`,
    "In the Markdown of the guides, `https://api.example.com` stands for the address of this server.",
    ...[...sections, ["Reference", documents]].flatMap(([title, lines]) => [`## ${title}`, lines.join("\n")]),
  ];
  writeFileSync(join(out, "llms.txt"), `${text.join("\n\n")}\n`);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
// By their names: what they are called.
const files = Object.fromEntries(
  [
    ["site.css", join(web, "site.css")],
    ["site.js", join(web, "site.js")],
    ["search.js", join(web, "search.js")],
    ["minisearch.js", join(modules, "minisearch/dist/es/index.js")],
    ["reference.css", join(web, "reference.css")],
    ["reference.js", join(web, "reference.js")],
    ["icon.svg", join(web, "icon.svg")],
    ["pico.css", join(modules, "@picocss/pico/css/pico.min.css")],
    ["code-light.css", join(modules, "highlight.js/styles/a11y-light.min.css")],
    ["code-dark.css", join(modules, "highlight.js/styles/a11y-dark.min.css")],
  ].map(([name, source]) => [name, writeHashed(name, readFileSync(source))]),
);

function writeHashed(name, bytes) {
  const end = extname(name);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  const file = `${name.slice(0, -end.length)}-${hash}${end}`;
  writeFileSync(join(out, file), bytes);
  return file;
}

const guidePages = Object.values(SECTIONS).flat().map(readGuide);
const pages = [...guidePages, ...REFERENCES.map((reference) => ({ ...reference, ...referenceFrame(reference) }))];
const found = guidePages.flatMap((page) =>
  page.parts.map(({ id, heading, text }) => ({ address: addressOf(page) + (id && `#${id}`), title: page.title, heading, text })),
);
files["search.json"] = writeHashed("search.json", JSON.stringify(found));
for (const page of guidePages) {
  const head = `<meta name="description" content="${escape(page.summary)}">
<link rel="alternate" type="text/markdown" href="${page.name}.md">`;
  writePage({ ...page, head, here: linksTo(page.parts), after: neighbours(page.name) });
  writeMarkdown(page);
}
for (const page of pages.slice(guidePages.length)) writePage(page);
writeLlms();
// The server puts the reason in. This page may come below any path.
writePage({
  name: "error",
  title: "Error",
  content: `<h1><!--reason--></h1>
<p id="instead">The menu has all pages. <a href="/docs/">The first page</a> says what is where.</p>`,
  root: "/docs/",
});

// The server puts the operations in, since it depends on the enabled plugins which there are.
function referenceFrame({ title, document }) {
  return {
    kind: "reference",
    head: `<link rel="stylesheet" href="{reference.css}">
<script src="{reference.js}" defer></script>`,
    contents: `<h2>Operations</h2>
<ul class="operations">
<!--menu-->
</ul>`,
    content: `<h1>${escape(title)}</h1>
<div class="introduction">
<p>This page lists the operations that this server offers. Each one says which <a href="keys.html#permissions">permission</a> its key needs, and shows a request and
a response, recorded where there is a recording. <a href="errors.html">Errors</a>, <a href="limits.html">limits</a> and
<a href="idempotency.html">idempotency</a> are guides of their own. Programs generate clients from
<a href="${document}">the OpenAPI document</a>.</p>
<div id="try"><p>To try a request, fill in your key. It stays in this page, and is gone when you close it. Requests are real
and change your data.</p></div>
</div>
<!--content-->`,
  };
}
