// The document as the writers of the clients and of the collections need it: operations with everything looked up.

const METHODS = ["get", "post", "put", "patch", "delete"];
const JSON_TYPE = "application/json";
/** Of a server without webhooks. */
const ANY_MESSAGE = { post: { requestBody: { content: { [JSON_TYPE]: { schema: { type: "object" } } } } } };

export const words = (name) => name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g).map((word) => word.toLowerCase());
export const pascal = (name) =>
  words(name)
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join("");
export const snake = (name) => words(name).join("_");

export function readModel(document) {
  const look = (part) => {
    while (part?.$ref)
      part = part.$ref
        .slice(2)
        .split("/")
        .reduce((at, key) => at[key], document);
    return part;
  };
  /** An object with the members of all that it is made of; anything else as it is. */
  const merged = (schema) => {
    const all = look(schema);
    if (!all.allOf) return all;
    const { allOf, ...own } = all;
    return [own, ...allOf.map(merged)].reduce(
      (sum, part) => ({
        ...sum,
        ...part,
        properties: { ...sum.properties, ...part.properties },
        required: [...(sum.required ?? []), ...(part.required ?? [])],
      }),
      {},
    );
  };

  const successOf = (operation) =>
    look(Object.entries(operation.responses).find(([status]) => status.startsWith("2"))[1]).content ?? {};

  /** What is in the envelope of an answer, or null for a file. */
  const dataOf = (operation) => {
    const schema = successOf(operation)[JSON_TYPE]?.schema;
    return schema ? merged(schema).properties.data : null;
  };

  /** The one list that a page of an answer has; null for what is no page. */
  const listOf = (data, parameters) => {
    const properties = (data && merged(data).properties) ?? {};
    const lists = Object.keys(properties).filter((name) => look(properties[name]).type === "array");
    const isPaged = properties.pagination && parameters.some(({ name }) => name === "cursor") && lists.length === 1;
    return isPaged ? { name: lists[0], item: look(properties[lists[0]]).items } : null;
  };

  const pageSize = document.components.schemas.Pagination?.properties.per_page.maximum;
  /** What a method may be told besides its arguments; `initials` count where nothing is said. */
  const optionsOf = ({ query, headers, types, isFile }, without, initials) => [
    ...query
      .filter(({ name }) => !without.includes(name))
      .map(({ name, schema }) => ({ name, schema, initial: initials[name] })),
    ...headers.map(({ name }) => ({ name: snake(name), schema: { type: "string" } })),
    ...(isFile ? [{ name: "content_type", schema: { enum: types } }] : []),
  ];

  /** The call of an operation, the walk through its list, and what was changed in it. */
  const methodsOf = (operation) => {
    const { id, summary, pathParameters: places, list, data } = operation;
    const noun = pascal(id.replace(/^list/, ""));
    const paging = ["page", "cursor", "changed_after"];
    const call = {
      kind: "call",
      name: id,
      about: `${summary}.`,
      places,
      options: optionsOf(operation, [], {}),
      result: data,
    };
    const iterate = {
      kind: "iterate",
      name: `iterate${noun}`,
      about: `${summary}: every one, page after page.`,
      places,
      options: optionsOf(operation, paging, { per_page: pageSize }),
      result: list?.item,
    };
    const changes = {
      kind: "changes",
      name: `changed${noun}`,
      about: "What was changed after a number, page after page; go on later from the last page's `last_change_seq`.",
      places: [{ name: "changed_after", schema: { type: "integer" } }, ...places],
      options: optionsOf(operation, paging, { per_page: pageSize, include_deleted: true }),
      result: data,
    };
    const hasChanges = operation.query.some(({ name }) => name === "changed_after");
    return [call, ...(list ? [iterate] : []), ...(list && hasChanges ? [changes] : [])];
  };

  const operationOf = (path, method, shared, operation) => {
    const parameters = [...shared, ...(operation.parameters ?? [])].map(look);
    const inPlace = (place) => parameters.filter((parameter) => parameter.in === place);
    const content = look(operation.requestBody)?.content ?? {};
    const types = Object.keys(content);
    const data = dataOf(operation);
    const described = {
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      tag: operation.tags[0],
      summary: operation.summary,
      pathParameters: inPlace("path"),
      query: inPlace("query"),
      // Who asks whether something changed (304) reads the status as well: that is for request().
      headers: operation.responses["304"] ? [] : inPlace("header"),
      types,
      isFile: types.length > 0 && !types.includes(JSON_TYPE),
      body: content[JSON_TYPE]?.schema ?? null,
      exampleBody: content[JSON_TYPE]?.example,
      examplePath: operation["x-request"],
      data,
      list: listOf(data, parameters),
    };
    return { ...described, methods: methodsOf(described) };
  };

  // What lies below another address than the API (files of pictures) is no operation of a client.
  const operations = Object.entries(document.paths)
    .filter(([, item]) => !item.servers)
    .flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) =>
        operationOf(path, method, item.parameters ?? [], item[method]),
      ),
    );
  // What is in the envelope of answers and in bodies; the envelope itself is the client's business.
  const used = new Set();
  const note = (part) => {
    const name = part?.$ref?.split("/").pop();
    if (!part || typeof part !== "object" || used.has(name)) return;
    if (name) used.add(name);
    Object.values(name ? look(part) : part).forEach(note);
  };
  const messages = Object.values(document.webhooks ?? { any: ANY_MESSAGE }).map(
    (item) => look(item.post.requestBody).content[JSON_TYPE].schema,
  );
  note([operations.map(({ data, body, query }) => [data, body, query]), messages]);
  return {
    title: document.info.title,
    version: document.info.version,
    tags: document.tags,
    basePath: document.servers[0].url,
    schemas: Object.fromEntries(Object.entries(document.components.schemas).filter(([name]) => used.has(name))),
    operations,
    /** Of one webhook's body each; those of several events come once. */
    messages: [...new Map(messages.map((schema) => [JSON.stringify(schema), schema])).values()],
    errors: document.components.schemas.Error.properties.code.enum,
    merged,
  };
}

/**
 * A schema in the words of a language: `language` has reference(name), literal(value), list(item), map(), union(types),
 * object(members, hint), and the names of the plain types. `hint` names an object that has no name.
 */
export function typeOf(schema, language, merged, hint) {
  const inner = (part, name) => typeOf(part, language, merged, name);
  if (schema.$ref) return language.reference(schema.$ref.split("/").pop());
  if ("const" in schema) return language.literal(schema.const);
  if (schema.enum)
    return language.union(schema.enum.map((value) => (value === null ? language.plain.null : language.literal(value))));
  if (schema.anyOf || schema.oneOf)
    return language.union((schema.anyOf ?? schema.oneOf).map((part) => inner(part, hint)));
  const whole = merged(schema);
  const types = [whole.type ?? "object"].flat();
  return language.union(
    types.map((type) => {
      if (type === "array") return language.list(inner(whole.items, hint));
      if (type !== "object") return language.plain[type];
      if (!whole.properties) return language.map();
      return language.object(
        Object.entries(whole.properties).map(([name, property]) => ({
          name,
          type: inner(property, hint + pascal(name)),
          isRequired: whole.required?.includes(name) ?? false,
          description: property.description,
        })),
        hint,
      );
    }),
  );
}

/** NOT_FOUND: NotFoundError. */
export const errorClass = (code) => pascal(code.toLowerCase().replace(/_error$/, "")) + "Error";
