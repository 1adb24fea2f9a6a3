// The console is a client of the API like any other: it sends the keys that it
// was given, in headers, and reads envelopes.

// Refusal is an answer that is an error, or none at all (status 0).
export class Refusal extends Error {
  constructor(status, error = {}, meta = {}, retryAfter = 0) {
    super(error.message ?? 'The server is unreachable.');
    this.name = 'Refusal';
    this.status = status;
    this.code = error.code ?? (status ? `http_${status}` : 'unreachable');
    this.hint =
      error.hint ??
      (status ? '' : 'Is it running, and are you online? A write without a response may have had an effect.');
    this.docsURL = error.docs_url ? new URL(error.docs_url, location.origin).pathname : '';
    this.details = error.details;
    this.requestID = meta.request_id ?? '';
    this.retryAt = error.retry_at ? Date.parse(error.retry_at) : retryAfter ? Date.now() + retryAfter * 1000 : 0;
    // The moment is the server's; the browser's clock may differ from it.
    if (this.retryAt && meta.server_time) this.retryAt += Date.now() - Date.parse(meta.server_time);
  }
}

// randomKey is an Idempotency-Key. crypto.randomUUID is missing on plain http.
export function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, b => b.toString(16).padStart(2, '0')).join('');
}

// afterWrite are called once a write with a key of this tab has its response, also where that is an error.
export const afterWrite = new Set();

// call sends one request and resolves to {status, data, meta, headers}; it
// rejects with a Refusal, or with the AbortError of its signal.
export async function call(path, { key, method = 'GET', body, headers = {}, signal } = {}) {
  const sent = new Headers(headers);
  if (key) sent.set('Authorization', `Bearer ${key}`);
  if (body !== undefined) sent.set('Content-Type', 'application/json');
  if (method !== 'GET' && !sent.has('Idempotency-Key')) sent.set('Idempotency-Key', randomKey());
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: sent,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refusal(0);
  }
  const envelope = await response.json().catch(error => {
    if (error.name === 'AbortError') throw error;
    // A body that breaks off is no answer; an error may have a body of something in between.
    if (response.ok && response.status !== 204) throw new Refusal(0);
    return {};
  });
  if (key && method !== 'GET') for (const act of afterWrite) act();
  if (!response.ok)
    throw new Refusal(response.status, envelope.error, envelope.meta, Number(response.headers.get('Retry-After')) || 0);
  return { status: response.status, data: envelope.data ?? envelope, meta: envelope.meta, headers: response.headers };
}

export const sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException('stopped', 'AbortError'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });

// parse yields the messages {event, id, data} of a stream of server-sent events.
// They come by fetch: EventSource cannot send a key in a header.
export async function* parse(reader) {
  const decoder = new TextDecoder();
  let rest = '';
  let message = { event: 'message', id: undefined, data: [] };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r/);
    rest = lines.pop();
    for (const line of lines) {
      if (line === '') {
        if (message.data.length) yield { ...message, data: JSON.parse(message.data.join('\n')) };
        message = { event: 'message', id: undefined, data: [] };
        continue;
      }
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const text = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') message.data.push(text);
      else if (field === 'event') message.event = text;
      else if (field === 'id') message.id = text;
    }
  }
}
