import { errorClass, pascal, snake, typeOf } from "./model.mjs";

const KEYWORDS = new Set(
  (
    "and as assert async await break class continue def del elif else except finally for from global if import in is " +
    "lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
const isName = (name) => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name);
/** `from` is from_. */
const argument = (name) => (KEYWORDS.has(name) ? `${name}_` : name);
const python = (value) =>
  JSON.stringify(value)
    .replace(/^true$/, "True")
    .replace(/^false$/, "False")
    .replace(/^null$/, "None");
/** A type as a text, which may name what comes later. */
const quoted = (type) => JSON.stringify(type).replaceAll('\\"', "'");
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
      const asClass = () =>
        `class ${hint}(TypedDict):\n` +
        fields.map(({ name, type, description }) => `    ${name}: ${type}\n${doc(description, "    ")}`).join("");
      const asCall = () =>
        `${hint} = TypedDict("${hint}", {${fields.map(({ name, type }) => `"${name}": ${quoted(type)}`).join(", ")}})\n`;
      // What is no name in Python cannot be a member of a class.
      const text = members.every(({ name }) => isName(name)) ? asClass() : asCall();
      if ((classes.get(hint) ?? text) !== text) throw new Error(`two types would be named ${hint}`);
      classes.set(hint, text);
      return hint;
    },
  };
  const type = (schema, hint) => typeOf(schema, LANGUAGE, model.merged, hint);

  const aliases = [];
  for (const [name, schema] of Object.entries(model.schemas)) {
    const text = type(schema, name);
    if (text !== name) aliases.push(`${name}: TypeAlias = ${quoted(text)}\n`);
  }
  const event = LANGUAGE.union(model.messages.map((schema, number) => type(schema, `WebhookEvent${number + 1}`)));

  const description = ({ id, method, path, headers, types }) => {
    const values = [method, path].map(python);
    const tuples = [headers.map(({ name }) => python(name)), types.map(python)].map(tuple);
    return `_${snake(id).toUpperCase()} = Operation(${[...values, ...tuples].join(", ")})\n`;
  };

  const methodOf = (operation, { kind, name, about, places, options, result }) => {
    const takesBody = kind === "call" && (operation.isFile || operation.body);
    const hint = pascal(operation.id);
    const named = options.map(
      (option) => `${argument(option.name)}: ${type(option.schema, "")} | None = ${python(option.initial ?? null)}`,
    );
    const parameters = [
      "self",
      ...places.map((place) => `${argument(place.name)}: ${type(place.schema, "")}`),
      ...(takesBody ? [`body: ${operation.isFile ? "bytes" : type(operation.body, `${hint}Body`)}`] : []),
      ...(named.length > 0 ? ["*", ...named] : []),
    ];
    const given = tuple(operation.pathParameters.map((place) => argument(place.name)));
    const first = `_${snake(operation.id).toUpperCase()}, ${given}`;
    const values = options.map((option) => `"${option.name}": ${argument(option.name)}`);
    const data = result ? type(result, kind === "iterate" ? `${hint}Item` : `${hint}Data`) : "str";
    const [returned, code] = {
      call: () => [
        data,
        `_call(${first}, ${takesBody ? "body" : "None"}${values.length > 0 ? `, {${values.join(", ")}}` : ""})`,
      ],
      iterate: () => [`Iterator[${data}]`, `_iterate(${first}, "${operation.list.name}", {${values.join(", ")}})`],
      changes: () => [
        `Iterator[${data}]`,
        `_changes(${first}, {${['"changed_after": changed_after', ...values].join(", ")}})`,
      ],
    }[kind]();
    return (
      `    def ${snake(name)}(${parameters.join(", ")}) -> ${returned}:\n` +
      `${doc(about, "        ")}        return self.${code}\n`
    );
  };
  const methods = model.operations.flatMap((operation) =>
    operation.methods.map((method) => methodOf(operation, method)),
  );

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

WebhookEvent: TypeAlias = ${quoted(event)}
"""What a webhook is sent."""

${model.errors.map((code) => `\nclass ${errorClass(code)}(ApiError):\n    pass\n\n`).join("")}
${model.operations.map(description).join("")}

class SupplierApi(Client):
    _errors = {
${model.errors.map((code) => `        "${code}": ${errorClass(code)},\n`).join("")}    }

${methods.join("\n")}

def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes, now: float | None = None) -> WebhookEvent:
    """What a webhook brought, or SignatureError. The body is as it came, before anything reads it. \`now\` in seconds."""
    return verify_signature(secret, headers, body, now)
`;
  return { "supplierd_client/api.py": text };
}

function tuple(items) {
  return `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
}
