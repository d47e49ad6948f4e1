// The same requests for Postman (2.1), Insomnia (4) and Bruno, each with the variables url and key. All three formats are
// plain enough to write: the libraries that convert a document bring dozens of packages along.

/** Each operation as somebody would send it by hand. */
function requestsOf(model) {
  return model.operations.map((operation) => {
    const example = new URL(operation.examplePath ?? operation.path, "http://example");
    const places = decodeURIComponent(example.pathname).split("/");
    const names = operation.path.split("/");
    return {
      id: operation.id,
      name: operation.summary,
      tag: operation.tag,
      method: operation.method,
      segments: names.slice(1),
      places: operation.pathParameters.map(({ name }) => {
        const value = places[names.indexOf(`{${name}}`)];
        return { name, value: value?.startsWith("{") ? "1" : (value ?? "1") };
      }),
      // Switched off, so that a reader sees what there is.
      query: operation.query.map(({ name, schema, description = "" }) => ({
        name,
        value: String(example.searchParams.get(name) ?? schema.enum?.[0] ?? schema.default ?? ""),
        description,
      })),
      body: operation.body ? JSON.stringify(operation.exampleBody ?? {}, null, 2) : null,
      fileType: operation.isFile ? operation.types[0] : null,
    };
  });
}

/** @return [tag, its requests] in the document's order. */
const byTag = (requests) => [
  ...requests.reduce((groups, one) => groups.set(one.tag, [...(groups.get(one.tag) ?? []), one]), new Map()),
];
const json = (value) => JSON.stringify(value, null, 2) + "\n";

function postman(model, requests) {
  const item = (request) => {
    const path = request.segments.map((segment) => segment.replace(/^\{(.*)\}$/, ":$1"));
    return {
      name: request.name,
      request: {
        method: request.method,
        header:
          request.body || request.fileType
            ? [{ key: "Content-Type", value: request.fileType ?? "application/json" }]
            : [],
        url: {
          raw: `{{url}}/${path.join("/")}`,
          host: ["{{url}}"],
          path,
          variable: request.places.map(({ name, value }) => ({ key: name, value })),
          query: request.query.map(({ name, value, description }) => ({
            key: name,
            value,
            description,
            disabled: true,
          })),
        },
        ...(request.body ? { body: { mode: "raw", raw: request.body, options: { raw: { language: "json" } } } } : {}),
        ...(request.fileType ? { body: { mode: "file", file: { src: null } } } : {}),
      },
    };
  };
  return {
    "postman.json": json({
      info: { name: model.title, schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
      auth: { type: "bearer", bearer: [{ key: "token", value: "{{key}}", type: "string" }] },
      item: byTag(requests).map(([name, some]) => ({ name, item: some.map(item) })),
    }),
    "postman-environment.json": json({
      name: model.title,
      values: [
        { key: "url", value: `http://127.0.0.1:8080${model.basePath}`, type: "default", enabled: true },
        { key: "key", value: "", type: "secret", enabled: true },
      ],
      _postman_variable_scope: "environment",
    }),
  };
}

function insomnia(model, requests) {
  const workspace = "wrk_supplierd";
  const resources = [
    { _id: workspace, _type: "workspace", parentId: null, name: model.title, scope: "collection" },
    {
      _id: "env_supplierd",
      _type: "environment",
      parentId: workspace,
      name: "Base Environment",
      data: { url: `http://127.0.0.1:8080${model.basePath}`, key: "" },
    },
  ];
  byTag(requests).forEach(([tag, some], number) => {
    const folder = `fld_supplierd_${number}`;
    resources.push({ _id: folder, _type: "request_group", parentId: workspace, name: tag, metaSortKey: number });
    some.forEach((request, place) =>
      resources.push({
        _id: `req_supplierd_${request.id}`,
        _type: "request",
        parentId: folder,
        name: request.name,
        method: request.method,
        url: `{{ _.url }}/${request.segments.map((segment) => segment.replace(/^\{(.*)\}$/, ":$1")).join("/")}`,
        pathParameters: request.places,
        parameters: request.query.map((parameter) => ({ ...parameter, disabled: true })),
        headers:
          request.body || request.fileType
            ? [{ name: "Content-Type", value: request.fileType ?? "application/json" }]
            : [],
        body: request.body
          ? { mimeType: "application/json", text: request.body }
          : request.fileType
            ? { mimeType: "application/octet-stream", fileName: "" }
            : {},
        authentication: { type: "bearer", token: "{{ _.key }}" },
        metaSortKey: place,
      }),
    );
  });
  return { "insomnia.json": json({ _type: "export", __export_format: 4, resources }) };
}

function bruno(model, requests) {
  const block = (name, lines) =>
    lines.length > 0 ? `${name} {\n${lines.map((line) => `  ${line}\n`).join("")}}\n` : "";
  const file = (request, number) => {
    const kind = request.body ? "json" : request.fileType ? "file" : "none";
    const path = request.segments.map((segment) => segment.replace(/^\{(.*)\}$/, ":$1")).join("/");
    return [
      block("meta", [`name: ${request.name}`, "type: http", `seq: ${number + 1}`]),
      block(request.method.toLowerCase(), [`url: {{url}}/${path}`, `body: ${kind}`, "auth: inherit"]),
      block(
        "params:query",
        request.query.map(({ name, value }) => `~${name}: ${value}`),
      ),
      block(
        "params:path",
        request.places.map(({ name, value }) => `${name}: ${value}`),
      ),
      request.body ? block("body:json", request.body.split("\n")) : "",
      request.fileType ? block("body:file", [`file: @file() @contentType(${request.fileType})`]) : "",
    ]
      .filter(Boolean)
      .join("\n");
  };
  const files = {
    "bruno/bruno.json": json({ version: "1", name: model.title, type: "collection" }),
    "bruno/collection.bru": `${block("auth", ["mode: bearer"])}\n${block("auth:bearer", ["token: {{key}}"])}`,
    "bruno/environments/supplierd.bru": `${block("vars", [`url: http://127.0.0.1:8080${model.basePath}`])}vars:secret [\n  key\n]\n`,
  };
  for (const [tag, some] of byTag(requests))
    some.forEach((request, number) => (files[`bruno/${tag}/${request.id}.bru`] = file(request, number)));
  return files;
}

export function write(model) {
  const requests = requestsOf(model);
  return { ...postman(model, requests), ...insomnia(model, requests), ...bruno(model, requests) };
}
