// Makes the pages of /docs: `node build.mjs <guides> <work>`, where <work> has node_modules, writes <work>/docs. The names of
// scripts and styles end with a hash of their bytes, so browsers keep them for ever.
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
const GUIDES = ["index", "first-request", "lists-and-sync", "bulk-updates", "spreadsheets", "images", "orders", "webhooks", "sandbox", "errors", "history", "limits", "idempotency"];
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

function readGuide(name) {
  const source = readFileSync(join(guides, `${name}.md`), "utf8");
  const [, title] = source.match(/^# (.+)$/m);
  return { name, title, content: markdown.render(source) };
}

const template = readFileSync(join(web, "page.html"), "utf8");

function writePage({ name, title, content, head = "", contents = "", root = "" }, pages) {
  const link = (page) =>
    `<li><a href="${root}${page.name === "index" ? "./" : `${page.name}.html`}"${page.name === name ? ' aria-current="page"' : ""}>${escape(page.title)}</a></li>`;
  const menu = pages.map(link).join("\n");
  const values = { title: escape(title), name, menu, content, head, contents, root };
  const page = template.replace(/\{\{(\w+)\}\}/g, (_, key) => values[key]);
  writeFileSync(join(out, `${name}.html`), page.replace(/\{(\w[\w.-]+)\}/g, (text, file) => files[file] ?? text));
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
// By their names: what they are called.
const files = Object.fromEntries(
  [
    ["site.css", join(web, "site.css")],
    ["site.js", join(web, "site.js")],
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

const pages = [...GUIDES.map(readGuide), ...REFERENCES.map((reference) => ({ ...reference, ...referenceFrame(reference) }))];
for (const page of pages) writePage(page, pages);
// The server puts the reason in. This page may come below any path.
writePage({ name: "error", title: "Error", content: "<h1><!--reason--></h1>", root: "/docs/" }, pages);

// The server puts the operations in, since it depends on the enabled plugins which there are.
function referenceFrame({ title, document }) {
  return {
    head: `<link rel="stylesheet" href="{reference.css}">
<script src="{reference.js}" defer></script>`,
    contents: `<h2>Operations</h2>
<ul class="operations">
<!--menu-->
</ul>`,
    content: `<h1>${escape(title)}</h1>
<div class="introduction">
<p>This page lists the operations that this server offers. Each one says which permission its key needs, and shows a request and
a response, recorded where there is a recording. <a href="errors.html">Errors</a>, <a href="limits.html">limits</a> and
<a href="idempotency.html">idempotency</a> are guides of their own. Programs generate clients from
<a href="${document}">the OpenAPI document</a>.</p>
<div id="try"><p>To try a request, fill in your key. It stays in this page, and is gone when you close it. Requests are real
and change your data.</p></div>
</div>
<!--content-->`,
  };
}
