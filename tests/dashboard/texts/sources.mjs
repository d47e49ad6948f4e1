// What the sources of the server say when they refuse a request.
import fs from "node:fs";
import path from "node:path";

const TOKEN = /\d[\w']*|R"(\w*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\])+'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\w+|::|->|[^\s\w]/g;
const CLOSES = { "(": ")", "{": "}" };
/// A field whose name only the run knows.
export const FIELD = "color";
const isText = (token) => token?.[0] === '"';

export function sourcesIn(folder) {
    return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const file = path.join(folder, entry.name);
        return entry.isDirectory() ? sourcesIn(file) : /\.(cpp|h)$/.test(entry.name) ? [file] : [];
    });
}

function tokensOf(source) {
    const tokens = [];
    for (const match of source.matchAll(TOKEN)) {
        const [text] = match;
        if (text.startsWith("//") || text.startsWith("/*")) continue;
        const before = tokens.at(-1);
        // Literals beside each other are one.
        if (isText(text) && isText(before?.text)) before.text = before.text.slice(0, -1) + text.slice(1);
        else tokens.push({ text, at: match.index });
    }
    return tokens;
}

/// Every pair of brackets: { before, at, args }, `before` the two tokens that stand there, an argument the texts of its tokens.
function* groupsOf(tokens) {
    const open = [];
    for (const [i, { text, at }] of tokens.entries()) {
        if (text in CLOSES) open.push({ close: CLOSES[text], before: tokens.slice(Math.max(0, i - 2), i).map((one) => one.text), at, args: [[]], begin: i });
        else if (open.at(-1)?.close === text) {
            const group = open.pop();
            yield group;
            open.at(-1)?.args.at(-1).push(...tokens.slice(group.begin, i + 1).map((one) => one.text));
        } else if (text === "," && open.length) open.at(-1).args.push([]);
        else open.at(-1)?.args.at(-1).push(text);
    }
}

const unquoted = (token) => token.slice(1, -1).replaceAll('\\"', '"');

/// What `name` was made of before `at`, as the texts of its tokens: the last definition.
function definitionOf(tokens, name, at) {
    const begin = tokens.findLastIndex((token, i) => token.at < at && token.text === name && tokens[i + 1]?.text === "=" && /^string(_view)?$/.test(tokens[i - 1]?.text));
    return begin < 0 ? null : tokens.slice(begin + 2, tokens.findIndex((token, i) => i > begin && token.text === ";")).map((token) => token.text);
}

/// An expression as it may read at run time: numbers are 7, other values x.
function sampleOf(expression, tokens, at) {
    const parts = [[]];
    let depth = 0;
    for (const token of expression) {
        depth += token === "(" || token === "{" ? 1 : token === ")" || token === "}" ? -1 : 0;
        if (token === "+" && depth === 0) parts.push([]);
        else parts.at(-1).push(token);
    }
    return parts.map((made) => {
        const part = made.length === 6 && made.slice(0, 4).join("") === "std::string(" ? made.slice(4, 5) : made;
        const whole = part.join("");
        if (part.length === 1 && isText(whole)) return unquoted(whole);
        if (/^reader\.path\("\w+"\)$/.test(whole)) return unquoted(part[4]);
        if (part.includes("to_string")) return "7";
        if (whole.startsWith("between(")) return "from pending to shipped"; // what an order may become
        if (/\burl$/.test(whole)) return "https://pictures.example/rose.jpg";
        const definition = part.length === 1 ? definitionOf(tokens, whole, at) : null;
        if (definition) return sampleOf(definition, tokens, at);
        return /^(std::string\()?[*_]?(place|field|name|column|path\(|reader\.path\(|_tree\.path\(|line\.place\(|claim\.field)/.test(whole) ? FIELD : "x";
    }).join("");
}

/// The alternatives of `a ? b : c`, else the expression alone.
function alternativesOf(tokens) {
    const at = tokens.indexOf("?");
    const between = tokens.indexOf(":", at);
    return at < 0 || between < 0 ? [tokens] : [tokens.slice(at + 1, between), ...alternativesOf(tokens.slice(between + 1))];
}

/// What stands in `message` before `at`, as far as it is known: what it begins as, and what is added to that.
function messagesBefore(tokens, at) {
    const begins = tokens.flatMap((token, i) => (token.at < at && token.text === "message" && tokens[i + 1].text === "=" ? [i] : []));
    const [first] = begins.slice(-1);
    if (first === undefined) return [];
    const from = (i) => tokens.slice(i, tokens.findIndex((token, place) => place >= i && token.text === ";")).map((token) => token.text);
    const base = from(first + 2);
    const added = tokens.flatMap((token, i) => (i > first && token.at < at && token.text === "message" && tokens[i + 1].text === "+" && tokens[i + 2].text === "=" ? [from(i + 3)] : []));
    return [base, ...added.map((more) => [...base, "+", ...more])];
}

/// { file, line, field, code, message } of every detail in the source that has one of `codes`; FIELD where only the run says
/// which field it is.
export function detailsOf(file, codes) {
    const source = fs.readFileSync(file, "utf8");
    const tokens = tokensOf(source);
    const found = [];
    for (const { before, at, args } of groupsOf(tokens)) {
        const isCode = (arg) => arg?.length === 1 && isText(arg[0]) && codes.has(unquoted(arg[0]));
        const place = isCode(args[1]) && args.length > 2 ? 1 : isCode(args[0]) && args.length > 1 && /^(problem|addDetail|TextProblem)$/.test(before.at(-1)) ? 0 : -1;
        const said = args[place + 1];
        if (place < 0 || /^(field|auditEntry|warn)$/.test(before.at(-1)) || before.includes("AuditEntry")) continue;
        const field = place === 1 ? sampleOf(args[0], tokens, at) : FIELD;
        const isMade = said.join("") === "message" || said.join("") === "std::move(message)";
        const texts = (isMade ? messagesBefore(tokens, at) : [said]).flatMap(alternativesOf);
        for (const text of texts)
            if (text.some((token) => isText(token) && token.includes(" ")))
                found.push({ file, line: source.slice(0, at).split("\n").length, field, code: unquoted(args[place][0]), message: sampleOf(text, tokens, at) });
    }
    return found;
}

/// { file, line, kind, message } of every ApiError without details, and of each class of `classes` with one text.
export function wholeOf(file, classes = ["conflict", "FileProblem", "tooMany"]) {
    const source = fs.readFileSync(file, "utf8");
    const found = [];
    const tokens = tokensOf(source);
    for (const { before, at, args } of groupsOf(tokens)) {
        const kind = /^ErrorKind::(\w+)$/.exec(args[0].join(""))?.[1];
        const said = kind && args.length === 2 ? args[1] : args.length === 1 && classes.includes(before.at(-1)) ? args[0] : [];
        if (said.some(isText)) found.push({ file, line: source.slice(0, at).split("\n").length, kind: kind ?? before.at(-1), message: sampleOf(said, tokens, at) });
    }
    return found;
}
