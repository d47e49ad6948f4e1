import { errorClass, typeOf } from "./model.mjs";

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

  const aliases = Object.entries(model.schemas).map(
    ([name, schema]) =>
      ` * @phpstan-type ${name} ${type(model.merged(schema).properties ? model.merged(schema) : schema)}\n`,
  );

  const describe = ({ id, method, path, headers, types }) =>
    `        ${text(id)} => ['method' => ${text(method)}, 'path' => ${text(path)}, ` +
    `'headers' => ${list(headers.map(({ name }) => text(name)))}, 'types' => ${list(types.map(text))}],\n`;

  const methodOf = (operation, { kind, name, about, places, options, result }) => {
    const takesBody = kind === "call" && (operation.isFile || operation.body);
    const needed = [
      ...places.map((place) => ({ name: place.name, type: type(place.schema) })),
      ...(takesBody ? [{ name: "body", type: operation.isFile ? "string" : type(operation.body) }] : []),
    ];
    const named = options.map((option) => ({ ...option, type: type(option.schema) }));
    const parameters = [
      ...needed.map((one) => `${NATIVE[one.type] ?? "array"} $${one.name}`),
      ...named.map(
        (one) => `${NATIVE[one.type] ? `?${NATIVE[one.type]} ` : ""}$${one.name} = ${one.initial ?? "null"}`,
      ),
    ];
    const told = [...needed, ...named]
      .filter((one) => !NATIVE[one.type])
      .map((one) => `@param ${one.type}${named.includes(one) ? "|null" : ""} $${one.name}`);
    const first = `${text(operation.id)}, ${list(operation.pathParameters.map((place) => `$${place.name}`))}`;
    const values = options.map((option) => `${text(option.name)} => $${option.name}`);
    const data = result ? type(result) : "string";
    const code = {
      call: () => `call(${first}, ${takesBody ? "$body" : "null"}${values.length > 0 ? `, ${list(values)}` : ""})`,
      iterate: () => `iterate(${first}, ${text(operation.list.name)}, ${list(values)})`,
      changes: () => `changes(${first}, ${list(["'changed_after' => $changed_after", ...values])})`,
    }[kind]();
    const [documented, returned] =
      kind === "call" ? [data, NATIVE[data] ?? "array"] : [`\\Generator<int, ${data}>`, "\\Generator"];
    return (
      comment([about, "", ...told, `@return ${documented}`]) +
      `    public function ${name}(${parameters.join(", ")}): ${returned}\n    {\n        return $this->${code};\n    }\n`
    );
  };
  const methods = model.operations.flatMap((operation) =>
    operation.methods.map((method) => methodOf(operation, method)),
  );

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

${methods.join("\n")}}
`;
  return { "src/SupplierApi.php": head + api, "src/Errors.php": `${head}${errors}` };
}
