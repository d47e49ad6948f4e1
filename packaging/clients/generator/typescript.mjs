import { errorClass, typeOf } from "./model.mjs";

const isName = (name) => /^[A-Za-z_]\w*$/.test(name);
const comment = (text, indent) => (text ? `${indent}/** ${text.replaceAll("*/", "* /")} */\n` : "");

const LANGUAGE = {
  plain: { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" },
  reference: (name) => name,
  literal: JSON.stringify,
  list: (item) => (item.includes(" ") ? `Array<${item}>` : `${item}[]`),
  map: () => "Record<string, unknown>",
  union: (types) => [...new Set(types)].join(" | "),
  object: (members) => `{ ${members.map(member).join("; ")} }`,
};

function member({ name, type, isRequired }) {
  return `${isName(name) ? name : JSON.stringify(name)}${isRequired ? "" : "?"}: ${type}`;
}

export function write(model) {
  const type = (schema) => typeOf(schema, LANGUAGE, model.merged, "");

  const declaration = ([name, schema]) => {
    const whole = model.merged(schema);
    if (!whole.properties) return `export type ${name} = ${type(schema)};\n`;
    const members = Object.entries(whole.properties).map(
      ([property, part]) =>
        comment(part.description, "  ") +
        `  ${member({ name: property, type: type(part), isRequired: whole.required?.includes(property) })};\n`,
    );
    return `${comment(schema.description, "")}export interface ${name} {\n${members.join("")}}\n`;
  };

  const description = ({ id, method, path, headers, types }) =>
    `  ${id}: ${JSON.stringify({ method, path, headers: headers.map(({ name }) => name), types })},\n`;

  const methodOf = (operation, { kind, name, about, places, options, result }) => {
    const takesBody = kind === "call" && (operation.isFile || operation.body);
    const list = options.map((option) => `${option.name}?: ${type(option.schema)}`);
    const parameters = [
      ...places.map((place) => `${place.name}: ${type(place.schema)}`),
      ...(takesBody ? [`body: ${operation.isFile ? "FileBody" : type(operation.body)}`] : []),
      ...(list.length > 0 ? [`options: { ${list.join("; ")} } = {}`] : []),
    ];
    const given = `OPERATIONS.${operation.id}, [${operation.pathParameters.map((place) => place.name).join(", ")}]`;
    const initials = options.filter(({ initial }) => initial !== undefined);
    const told = [...initials.map((option) => `${option.name}: ${option.initial}`), "...options"].join(", ");
    const data = result ? type(result) : "string";
    const [returned, code] = {
      call: () => [
        `Promise<${data}>`,
        `call(${given}, ${takesBody ? "body" : "undefined"}${list.length > 0 ? ", options" : ""})`,
      ],
      iterate: () => [`AsyncGenerator<${data}>`, `iterate(${given}, "${operation.list.name}", { ${told} })`],
      changes: () => [
        `AsyncGenerator<${data} & { pagination: { last_change_seq: number } }>`,
        `changes(${given}, { ${told}, changed_after })`,
      ],
    }[kind]();
    return `${comment(about, "  ")}  ${name}(${parameters.join(", ")}): ${returned} {\n    return this.${code};\n  }\n`;
  };
  const methods = model.operations.flatMap((operation) =>
    operation.methods.map((method) => methodOf(operation, method)),
  );

  const text = `// Made by packaging/clients/generate from the OpenAPI document of version ${model.version}.
import { ApiError, Client, type FileBody } from "./client.js";

${Object.entries(model.schemas).map(declaration).join("")}
/** What a webhook is sent. */
export type WebhookEvent = ${LANGUAGE.union(model.messages.map(type))};

export type ErrorCode = ${LANGUAGE.union(model.errors.map(LANGUAGE.literal))};
${model.errors.map((code) => `export class ${errorClass(code)} extends ApiError {}\n`).join("")}
const ERRORS: Record<string, typeof ApiError> = {
${model.errors.map((code) => `  ${code}: ${errorClass(code)},\n`).join("")}};

const OPERATIONS = {
${model.operations.map(description).join("")}};

export class SupplierApi extends Client {
  protected override readonly errors = ERRORS;

${methods.join("\n")}}
`;
  return { "src/api.ts": text };
}
