// A server of the API that is busy, broken or full, as the first part of a path says: /busy/stock. Prints its address.
import { createServer } from "node:http";

const refusal = (code) => JSON.stringify({ success: false, error: { code, message: "Refused", request_id: "r" } });
const refuse =
  (status, code, fields = {}) =>
  (response) =>
    response.writeHead(status, { "Content-Type": "application/json", ...fields }).end(refusal(code));
const reset = (response) => response.socket.destroy();
const accept = (response, { requests, keys }) =>
  response
    .writeHead(200, { "Content-Type": "application/json" })
    .end(JSON.stringify({ success: true, data: { updated: requests, failed: keys.size, errors: [] } }));
const proxy = (response) => response.writeHead(502, { "Content-Type": "text/html" }).end("<html>Bad gateway</html>");
const redirect = (response) => response.writeHead(302, { Location: "/busy/stock" }).end();

/** What comes first, second, …; the last one again and again. */
const SCENARIOS = {
  busy: [reset, refuse(503, "SERVICE_UNAVAILABLE", { "Retry-After": "1" }), refuse(409, "CONFLICT"), accept],
  invalid: [refuse(422, "VALIDATION_ERROR")],
  limited: [refuse(429, "RATE_LIMITED", { "Retry-After": "1" })],
  hour: [refuse(429, "RATE_LIMITED", { "Retry-After": "3600" })],
  file: [
    refuse(429, "RATE_LIMITED", { "Retry-After": "1" }),
    refuse(503, "SERVICE_UNAVAILABLE", { "Retry-After": "1" }),
  ],
  broken: [reset],
  proxy: [proxy],
  redirect: [redirect],
};
const seen = new Map();

const server = createServer((request, response) => {
  const [, scenario, ...rest] = request.url.split("/");
  const state = seen.get(scenario) ?? { requests: 0, keys: new Set() };
  if (rest[0] === "seen") {
    accept(response, state);
    return;
  }
  seen.set(scenario, state);
  if (request.headers["idempotency-key"]) state.keys.add(request.headers["idempotency-key"]);
  request.resume().on("end", () => {
    state.requests += 1;
    const steps = SCENARIOS[scenario];
    steps[Math.min(state.requests, steps.length) - 1](response, state);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
