import { errorClass, pascal, snake, typeOf } from "./model.mjs";

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

  const optionsOf = (operation, query = operation.query) => [
    ...query.map(({ name, schema }) => `${name}?: ${type(schema)}`),
    ...operation.headers.map(({ name }) => `${snake(name)}?: string`),
    ...(operation.isFile ? [`content_type?: ${operation.types.map((text) => JSON.stringify(text)).join(" | ")}`] : []),
  ];

  const initial = (query) =>
    query
      .filter((one) => one.initial !== undefined)
      .map((one) => `${one.name}: ${one.initial}, `)
      .join("");

  const methodOf = (operation) => {
    const places = operation.pathParameters.map(({ name, schema }) => `${name}: ${type(schema)}`);
    const given = `[${operation.pathParameters.map(({ name }) => name).join(", ")}]`;
    const bodies = operation.isFile ? ["body: FileBody"] : operation.body ? [`body: ${type(operation.body)}`] : [];
    const signature = (name, first, options, result) => {
      const optional = options.length > 0 ? [`options: { ${options.join("; ")} } = {}`] : [];
      return `  ${name}(${[...first, ...optional].join(", ")}): ${result} {\n`;
    };
    const options = optionsOf(operation);
    const data = operation.data ? type(operation.data) : "string";
    let code =
      comment(operation.summary + ".", "  ") +
      signature(operation.id, [...places, ...bodies], options, `Promise<${data}>`) +
      `    return this.call(OPERATIONS.${operation.id}, ${given}, ${bodies.length > 0 ? "body" : "undefined"}` +
      `${options.length > 0 ? ", options" : ""});\n  }\n`;
    if (!operation.list) return code;
    const noun = pascal(operation.id.replace(/^list/, ""));
    const item = type(operation.list.item);
    code +=
      comment(`${operation.summary}: every one, page after page.`, "  ") +
      signature(`iterate${noun}`, places, optionsOf(operation, operation.walk), `AsyncGenerator<${item}>`) +
      `    return this.iterate(OPERATIONS.${operation.id}, ${given}, "${operation.list.name}", { ${initial(operation.walk)}...options });\n  }\n`;
    if (!operation.hasChanges) return code;
    return (
      code +
      comment(
        `What was changed after a number, page after page; go on later from the last page's \`pagination.last_change_seq\`.`,
        "  ",
      ) +
      signature(
        `changed${noun}`,
        ["changed_after: number", ...places],
        optionsOf(operation, operation.changes),
        `AsyncGenerator<${data} & { pagination: { last_change_seq: number } }>`,
      ) +
      `    return this.changes(OPERATIONS.${operation.id}, ${given}, { ${initial(operation.changes)}...options, changed_after });\n  }\n`
    );
  };

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

${model.operations.map(methodOf).join("\n")}}
`;
  return { "src/api.ts": text };
}
