// `node verify.mjs FILE`: takes each delivery of a JSON array of { name, secret, headers, body } as a supplier's server would with
// the library of Standard Webhooks, and must not take it when anything of it was changed. Prints how many it took.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const isTaken = ({ secret, headers, body }) => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};

const STRANGER = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/// Each as somebody on the way, or somebody else, could send it.
const CHANGES = {
  "another body": (delivery) => ({ ...delivery, body: delivery.body.replace('"type":"', '"type":"x') }),
  "a longer body": (delivery) => ({ ...delivery, body: `${delivery.body} ` }),
  "another id": (delivery) => ({ ...delivery, headers: { ...delivery.headers, "webhook-id": `${delivery.headers["webhook-id"]}0` } }),
  "another time": (delivery) => ({ ...delivery, headers: { ...delivery.headers, "webhook-timestamp": String(Number(delivery.headers["webhook-timestamp"]) - 1) } }),
  "no signature": (delivery) => ({ ...delivery, headers: { ...delivery.headers, "webhook-signature": "" } }),
  "another's secret": (delivery) => ({ ...delivery, secret: STRANGER }),
};

const deliveries = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const delivery of deliveries) {
  if (!isTaken(delivery)) throw new Error(`${delivery.name} was not taken: ${JSON.stringify(delivery)}`);
  for (const [what, change] of Object.entries(CHANGES)) {
    const changed = change(delivery);
    if (JSON.stringify(changed) === JSON.stringify(delivery)) throw new Error(`${delivery.name}: ${what} changed nothing`);
    if (isTaken(changed)) throw new Error(`${delivery.name} was taken with ${what}`);
  }
}
console.log(deliveries.length);
