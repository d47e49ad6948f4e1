import { errorClass, pascal, snake, typeOf } from "./model.mjs";

const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);
const isName = (name) => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name);
/** `from` is from_. */
const argument = (name) => (KEYWORDS.has(name) ? `${name}_` : name);
const python = (value) =>
  JSON.stringify(value)
    .replace(/^true$/, "True")
    .replace(/^false$/, "False");
const doc = (text, indent) =>
  text ? `${indent}"""${text.replaceAll("\\", "\\\\").replaceAll('"""', "'''").replace(/"$/, '" ')}"""\n` : "";

export function write(model) {
  const classes = new Map();
  const LANGUAGE = {
    plain: { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" },
    reference: (name) => name,
    literal: (value) => `Literal[${python(value)}]`,
    list: (item) => `list[${item}]`,
    map: () => "dict[str, Any]",
    union: (types) => {
      const literals = types.filter((type) => type.startsWith("Literal[")).map((type) => type.slice(8, -1));
      const others = types.filter((type) => !type.startsWith("Literal["));
      return [...(literals.length > 0 ? [`Literal[${literals.join(", ")}]`] : []), ...new Set(others)].join(" | ");
    },
    object: (members, hint) => {
      const fields = members.map((member) => ({
        ...member,
        type: member.isRequired ? member.type : `NotRequired[${member.type}]`,
      }));
      // What is no name in Python cannot be a member of a class.
      const text = members.every(({ name }) => isName(name))
        ? `class ${hint}(TypedDict):\n${fields.map(({ name, type, description }) => `    ${name}: ${type}\n${doc(description, "    ")}`).join("")}`
        : `${hint} = TypedDict("${hint}", {${fields.map(({ name, type }) => `"${name}": ${JSON.stringify(type).replaceAll('\\"', "'")}`).join(", ")}})\n`;
      if ((classes.get(hint) ?? text) !== text) throw new Error(`two types would be named ${hint}`);
      classes.set(hint, text);
      return hint;
    },
  };
  const type = (schema, hint) => typeOf(schema, LANGUAGE, model.merged, hint);

  const aliases = [];
  for (const [name, schema] of Object.entries(model.schemas)) {
    const text = type(schema, name);
    if (text !== name) aliases.push(`${name}: TypeAlias = ${JSON.stringify(text).replaceAll('\\"', "'")}\n`);
  }
  const event = LANGUAGE.union(model.messages.map((schema, number) => type(schema, `WebhookEvent${number + 1}`)));

  const description = ({ id, method, path, headers, types }) =>
    `_${snake(id).toUpperCase()} = Operation("${method}", "${path}", ${tuple(headers.map(({ name }) => JSON.stringify(name)))}, ${tuple(types.map((text) => JSON.stringify(text)))})\n`;

  const optionsOf = (operation, query = operation.query) => [
    ...query.map(({ name, schema, initial }) => ({ name, initial, type: type(schema, "") })),
    ...operation.headers.map(({ name }) => ({ name: snake(name), type: "str" })),
    ...(operation.isFile
      ? [{ name: "content_type", type: LANGUAGE.union(operation.types.map(LANGUAGE.literal)) }]
      : []),
  ];

  const methodOf = (operation) => {
    const places = operation.pathParameters.map(({ name, schema }) => `${argument(name)}: ${type(schema, "")}`);
    const given = tuple(operation.pathParameters.map(({ name }) => argument(name)));
    const described = `_${snake(operation.id).toUpperCase()}`;
    const hint = pascal(operation.id);
    const bodies = operation.isFile
      ? ["body: bytes"]
      : operation.body
        ? [`body: ${type(operation.body, `${hint}Body`)}`]
        : [];
    const head = (name, first, options, result, about) => {
      const named =
        options.length > 0
          ? [
              "*",
              ...options.map(
                (option) =>
                  `${argument(option.name)}: ${option.type} | None = ${option.initial === undefined ? "None" : python(option.initial)}`,
              ),
            ]
          : [];
      return `    def ${name}(${["self", ...first, ...named].join(", ")}) -> ${result}:\n${doc(about, "        ")}`;
    };
    const values = (options) => options.map(({ name }) => `"${name}": ${argument(name)}`);
    const options = optionsOf(operation);
    const data = operation.data ? type(operation.data, `${hint}Data`) : "str";
    const last = options.length > 0 ? `, {${values(options).join(", ")}}` : "";
    let code =
      head(snake(operation.id), [...places, ...bodies], options, data, `${operation.summary}.`) +
      `        return self._call(${described}, ${given}, ${bodies.length > 0 ? "body" : "None"}${last})\n`;
    if (!operation.list) return code;
    const noun = snake(operation.id.replace(/^list/, ""));
    const some = optionsOf(operation, operation.walk);
    code +=
      "\n" +
      head(
        `iterate_${noun}`,
        places,
        some,
        `Iterator[${type(operation.list.item, `${hint}Item`)}]`,
        `${operation.summary}: every one, page after page.`,
      ) +
      `        return self._iterate(${described}, ${given}, "${operation.list.name}", {${values(some).join(", ")}})\n`;
    if (!operation.hasChanges) return code;
    const about =
      "What was changed after a number, page after page; go on later from the last page's `last_change_seq`.";
    const changed = optionsOf(operation, operation.changes);
    return (
      code +
      "\n" +
      head(`changed_${noun}`, ["changed_after: int", ...places], changed, `Iterator[${data}]`, about) +
      `        return self._changes(${described}, ${given}, {${['"changed_after": changed_after', ...values(some)].join(", ")}})\n`
    );
  };

  const methods = model.operations.map(methodOf).join("\n");
  const exported = [
    "SupplierApi",
    "verify_webhook",
    "WebhookEvent",
    ...Object.keys(model.schemas),
    ...model.errors.map(errorClass),
  ];
  const text = `# Made by packaging/clients/generate from the OpenAPI document of version ${model.version}.
from __future__ import annotations

from typing import Any, Iterator, Literal, Mapping, NotRequired, TypeAlias, TypedDict

from ._client import ApiError, Client, Operation, verify_signature

__all__ = ${JSON.stringify(exported, null, 4)}

${aliases.join("")}

${[...classes.values()].join("\n\n")}

WebhookEvent: TypeAlias = ${JSON.stringify(event)}
"""What a webhook is sent."""

${model.errors.map((code) => `\nclass ${errorClass(code)}(ApiError):\n    pass\n\n`).join("")}
${model.operations.map(description).join("")}

class SupplierApi(Client):
    _errors = {
${model.errors.map((code) => `        "${code}": ${errorClass(code)},\n`).join("")}    }

${methods}

def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes, now: float | None = None) -> WebhookEvent:
    """What a webhook brought, or SignatureError. The body is as it came, before anything reads it. \`now\` in seconds."""
    return verify_signature(secret, headers, body, now)
`;
  return { "supplierd_client/api.py": text };
}

function tuple(items) {
  return `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
}
