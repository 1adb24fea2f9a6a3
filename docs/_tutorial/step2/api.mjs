// Sends requests to the two systems of a sandbox.
import { setTimeout as sleep } from 'node:timers/promises';

const url = process.env.PLATEN_URL;
const officeKey = process.env.PLATEN_OFFICE_KEY;
const factoryKey = process.env.PLATEN_FACTORY_KEY;
const attempts = 6;

// Rejected: the API rejected a request. Look at the code: messages may change.
export class Rejected extends Error {
  constructor(error) {
    super(`${error.code}: ${error.message}`);
    this.code = error.code;
  }
}

// send returns the data of the response. It sends the request again, with the
// same idempotency key, while there is no response or the response says so.
export async function send(method, path, idempotencyKey, body) {
  for (let attempt = 1; ; attempt++) {
    let wait = Math.random() * 500 * 2 ** attempt;
    let failure;
    try {
      const response = await sendOnce(method, path, idempotencyKey, body);
      const { data, error } = await response.json(); // throws if a proxy responded, not the API
      if (response.ok) return data;
      failure = new Rejected(error);
      if (!error.retryable && ![429, 503].includes(response.status)) attempt = attempts;
      wait = Math.max(wait, 1000 * Number(response.headers.get('Retry-After')));
    } catch (broken) {
      failure = broken; // no response, or half of one
    }
    if (attempt >= attempts) throw failure;
    await sleep(wait);
  }
}

function sendOnce(method, path, idempotencyKey, body) {
  const key = path.startsWith('/factory/') ? factoryKey : officeKey;
  const headers = { Authorization: `Bearer ${key}` };
  if (body) {
    headers['Content-Type'] = 'application/json';
    headers['Idempotency-Key'] = idempotencyKey;
  }
  return fetch(url + path, {
    method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(30_000),
  });
}
