import { errorClass, pascal, snake, typeOf } from "./model.mjs";

const text = (value) => `'${String(value).replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const list = (items) => `[${items.join(", ")}]`;
/** What a documented type is in a signature. */
const NATIVE = { string: "string", int: "int", float: "float", bool: "bool" };

const LANGUAGE = {
  plain: { string: "string", integer: "int", number: "float", boolean: "bool", null: "null" },
  reference: (name) => name,
  literal: (value) => (typeof value === "string" ? text(value) : JSON.stringify(value)),
  list: (item) => `list<${item}>`,
  map: () => "array<string, mixed>",
  union: (types) => [...new Set(types)].join("|"),
  object: (members) =>
    `array{${members
      .map(({ name, type, isRequired }) => `${/^\w+$/.test(name) ? name : text(name)}${isRequired ? "" : "?"}: ${type}`)
      .join(", ")}}`,
};

export function write(model) {
  const type = (schema) => typeOf(schema, LANGUAGE, model.merged, "");
  const comment = (lines) =>
    `    /**\n${lines.map((line) => `     *${line ? ` ${line.replaceAll("*/", "* /")}` : ""}\n`).join("")}     */\n`;
  const native = (documented) => NATIVE[documented] ?? (documented.startsWith("'") ? "string" : "mixed");

  const aliases = Object.entries(model.schemas).map(
    ([name, schema]) =>
      ` * @phpstan-type ${name} ${type(model.merged(schema).properties ? model.merged(schema) : schema)}\n`,
  );

  const optionsOf = (operation, query = operation.query) => [
    ...query.map(({ name, schema, initial }) => ({ name, initial, type: type(schema) })),
    ...operation.headers.map(({ name }) => ({ name: snake(name), type: "string" })),
    ...(operation.isFile ? [{ name: "content_type", type: LANGUAGE.union(operation.types.map(text)) }] : []),
  ];

  const describe = ({ id, method, path, headers, types }) =>
    `        ${text(id)} => ['method' => ${text(method)}, 'path' => ${text(path)}, ` +
    `'headers' => ${list(headers.map(({ name }) => text(name)))}, 'types' => ${list(types.map(text))}],\n`;

  const methodOf = (operation) => {
    const places = operation.pathParameters.map(({ name, schema }) => ({ name, type: type(schema) }));
    const given = list(places.map(({ name }) => `$${name}`));
    const bodies = operation.isFile
      ? [{ name: "body", type: "string" }]
      : operation.body
        ? [{ name: "body", type: type(operation.body) }]
        : [];
    const head = (name, first, options, about, returned) => {
      const needed = first.map((one) => `${NATIVE[one.type] ?? "array"} $${one.name}`);
      const named = options.map((one) =>
        `?${native(one.type)} $${one.name} = ${one.initial ?? "null"}`.replace("?mixed", "mixed"),
      );
      const told = [...first, ...options]
        .filter((one) => !NATIVE[one.type])
        .map((one) => `@param ${one.type}${options.includes(one) ? "|null" : ""} $${one.name}`);
      const generator = returned.startsWith("\\Generator");
      return (
        comment([about, "", ...told, `@return ${returned}`]) +
        `    public function ${name}(${[...needed, ...named].join(", ")}): ${generator ? "\\Generator" : (NATIVE[returned] ?? "array")}\n    {\n`
      );
    };
    const values = (options) => options.map(({ name }) => `${text(name)} => $${name}`);
    const options = optionsOf(operation);
    const data = operation.data ? type(operation.data) : "string";
    const last = options.length > 0 ? `, ${list(values(options))}` : "";
    let code =
      head(operation.id, [...places, ...bodies], options, `${operation.summary}.`, data) +
      `        return $this->call(${text(operation.id)}, ${given}, ${bodies.length > 0 ? "$body" : "null"}${last});\n    }\n`;
    if (!operation.list) return code;
    const noun = pascal(operation.id.replace(/^list/, ""));
    const some = optionsOf(operation, operation.walk);
    code +=
      "\n" +
      head(
        `iterate${noun}`,
        places,
        some,
        `${operation.summary}: every one, page after page.`,
        `\\Generator<int, ${type(operation.list.item)}>`,
      ) +
      `        return $this->iterate(${text(operation.id)}, ${given}, ${text(operation.list.name)}, ${list(values(some))});\n    }\n`;
    if (!operation.hasChanges) return code;
    const changed = optionsOf(operation, operation.changes);
    return (
      code +
      "\n" +
      head(
        `changed${noun}`,
        [{ name: "changed_after", type: "int" }, ...places],
        changed,
        "What was changed after a number, page after page; go on later from the last page's `last_change_seq`.",
        `\\Generator<int, ${data}>`,
      ) +
      `        return $this->changes(${text(operation.id)}, ${given}, ${list(["'changed_after' => $changed_after", ...values(some)])});\n    }\n`
    );
  };

  const head = `<?php

// Made by packaging/clients/generate from the OpenAPI document of version ${model.version}.

declare(strict_types=1);

namespace Supplierd;
`;
  const errors = model.errors
    .map(
      (code) => `
class ${errorClass(code)} extends ApiError
{
}
`,
    )
    .join("");
  const api = `
require_once __DIR__ . '/Client.php';
require_once __DIR__ . '/Errors.php';
require_once __DIR__ . '/WebhookSignature.php';

/**
${aliases.join("")} */
final class SupplierApi extends Client
{
    protected const ERRORS = [
${model.errors.map((code) => `        ${text(code)} => ${errorClass(code)}::class,\n`).join("")}    ];
    protected const OPERATIONS = [
${model.operations.map(describe).join("")}    ];

${model.operations.map(methodOf).join("\n")}}
`;
  return { "src/SupplierApi.php": head + api, "src/Errors.php": `${head}${errors}` };
}
