// Sends requests to the two systems of a sandbox.
const url = process.env.PLATEN_URL;
const officeKey = process.env.PLATEN_OFFICE_KEY;
const factoryKey = process.env.PLATEN_FACTORY_KEY;

// send returns the data of the response.
export async function send(method, path, idempotencyKey, body) {
  const key = path.startsWith('/factory/') ? factoryKey : officeKey;
  const headers = { Authorization: `Bearer ${key}` };
  if (body) {
    headers['Content-Type'] = 'application/json';
    headers['Idempotency-Key'] = idempotencyKey;
  }
  const response = await fetch(url + path, {
    method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()).data;
}
