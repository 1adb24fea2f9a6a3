// Verifies captured deliveries with the package standardwebhooks: reads one JSON
// object a line (headers, body, secret) and answers "ok" or why not.

import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';

for await (const line of createInterface({ input: process.stdin })) {
  const { headers, body, secret } = JSON.parse(line);
  try {
    new Webhook(secret).verify(body, headers);
    console.log('ok');
  } catch (error) {
    console.log(error.message);
  }
}
