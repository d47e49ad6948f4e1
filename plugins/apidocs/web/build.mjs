// Makes the pages of /docs: `node build.mjs <guides> <work>`, where <work> has node_modules, writes <work>/docs.
// The guides are Markdown. Adjacent code blocks of several languages are one example, which site.js shows as tabs; a block's
// second word is the name of the file to save it as, or `setup` when it is not to be run. A block `output` is what each of the
// examples above it prints.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
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

const GUIDE_STYLES = `<link rel="stylesheet" href="{{root}}pico.css">
<link rel="stylesheet" href="{{root}}code-light.css" media="(prefers-color-scheme: light)">
<link rel="stylesheet" href="{{root}}code-dark.css" media="(prefers-color-scheme: dark)">`;

function writePage({ name, title, content, head = GUIDE_STYLES, root = "", element = "main" }, pages) {
  const link = (page) =>
    `<li><a href="${root}${page.name === "index" ? "./" : `${page.name}.html`}"${page.name === name ? ' aria-current="page"' : ""}>${escape(page.title)}</a></li>`;
  const menu = pages.map(link).join("\n");
  head = head.replaceAll("{{root}}", root);
  const values = { title: escape(title), name, menu, content, head, root, element };
  writeFileSync(join(out, `${name}.html`), template.replace(/\{\{(\w+)\}\}/g, (_, key) => values[key]));
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
const pages = [...GUIDES.map(readGuide), ...REFERENCES.map((reference) => ({ ...reference, ...viewer(reference) }))];
for (const page of pages) writePage(page, pages);
// The server puts the reason in. This page may come below any path.
writePage({ name: "error", title: "Error", content: "<h1><!--reason--></h1>", root: "/docs/" }, pages);

function viewer({ title, document }) {
  return {
    element: "div", // Swagger UI brings <main>
    head: `<link rel="stylesheet" href="swagger-ui.css">
<link rel="stylesheet" href="reference.css">
<script src="swagger-ui-bundle.js" defer></script>
<script src="reference.js" defer></script>`,
    content: `<h1>${escape(title)}</h1>
<p>What this server serves, and nothing else. To try a request, press <b>Authorize</b> and fill in your key: it stays in
this page and is gone when you close it. Requests are real and change your data. Programs generate clients from
<a href="${document}">the OpenAPI document</a>.</p>
<div id="reference" data-document="${document}"><p>The reference needs JavaScript. Everything in it is in the document.</p></div>`,
  };
}

for (const file of ["site.css", "site.js", "reference.css", "reference.js", "icon.svg"]) copyFileSync(join(web, file), join(out, file));
for (const [file, name] of [
  ["@picocss/pico/css/pico.min.css", "pico.css"],
  ["highlight.js/styles/a11y-light.min.css", "code-light.css"],
  ["highlight.js/styles/a11y-dark.min.css", "code-dark.css"],
  ["swagger-ui-dist/swagger-ui.css", "swagger-ui.css"],
  ["swagger-ui-dist/swagger-ui-bundle.js", "swagger-ui-bundle.js"],
])
  copyFileSync(join(modules, file), join(out, name));
