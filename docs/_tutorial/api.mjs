// Sends requests to the two systems of a sandbox.
// step 2
import { setTimeout as sleep } from 'node:timers/promises';

// step 1
const url = process.env.PLATEN_URL;
const officeKey = process.env.PLATEN_OFFICE_KEY;
const factoryKey = process.env.PLATEN_FACTORY_KEY;
// step 2
const attempts = 6;

// Rejected: the API rejected a request. Look at the code: messages may change.
export class Rejected extends Error {
  constructor(error) {
    super(`${error.code}: ${error.message}`);
    this.code = error.code;
  }
}
// step 1

// until 1: // send returns the data of the response.
// send returns the data of the response. It sends the request again, with the // step 2
// same idempotency key, while there is no response or the response says so. // step 2
export async function send(method, path, idempotencyKey, body) {
  // step 2
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
  // step 1
  const key = path.startsWith('/factory/') ? factoryKey : officeKey;
  const headers = { Authorization: `Bearer ${key}` };
  if (body) {
    headers['Content-Type'] = 'application/json';
    headers['Idempotency-Key'] = idempotencyKey;
  }
  // until 1: const response = await fetch(url + path, {
  return fetch(url + path, { // step 2
    method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(30_000),
  });
  // until 1: if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  // until 1: return (await response.json()).data;
}
