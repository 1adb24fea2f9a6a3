// The client of Platen: see README.md, and platen.d.ts for the types.
import { BASE_PATH, CODES, EVENT_TYPES, Operations, VERSION } from './operations.gen.js';
import { solve } from './proof.js';

export { signWebhook, verifyWebhook, WebhookError } from './webhook.js';
export { BASE_PATH, CODES, EVENT_TYPES, VERSION };

/** The largest limit of a page. Reading all pages asks for so many rows at a time. */
export const MOST_PER_PAGE = 100;

// A response is read up to so many bytes: many times a full page of the largest rows.
const MOST_BYTES = 8 << 20;
// The limit of a wait for which the server names no time begins with the one and doubles up to the other.
const FIRST_WAIT_MS = 250;
const MOST_WAIT_MS = 8000;
// Calls without a key share a small budget, so a ticket is looked at this rarely.
const TICKET_WAIT_MS = 3000;
// So many proofs of work are solved for one creation: one can come too late.
const MOST_PROOFS = 3;
// So often a list is begun again whose cursor the server has forgotten.
const MOST_BEGINNINGS = 5;
// A long poll waits so long on the server.
const POLL_S = 20;
// How long a test waits for a request by default.
const WAIT_MS = 30_000;

/** Any failure that this module describes. */
export class PlatenError extends Error {
  name = 'PlatenError';
  /** How often the request was sent. */
  attempts = 0;
}

/** An error that the server returned. Programs look at its code, never at its text. */
export class ApiError extends PlatenError {
  name = 'ApiError';

  constructor(operation, status, fields) {
    const parts = [`${operation}: ${status}${fields.code ? ` ${fields.code}` : ''}`, fields.text].filter(Boolean);
    super(parts.join(': ') + (fields.hint ? ` ${fields.hint}` : ''));
    Object.assign(this, { operation, status }, fields);
  }
}

/** There was no response, or only a part of one. Whether the request took effect is not known. */
export class NetworkError extends PlatenError {
  name = 'NetworkError';
}

/** A list that was asked for with ifNoneMatch has not changed. */
export class NotModified extends PlatenError {
  name = 'NotModified';
}

/** The client has no key for the system that a method belongs to. */
export class NoKeyError extends PlatenError {
  name = 'NoKeyError';
}

/** Whether an error is one of the server with a code, such as press_busy. */
export function isCode(error, code) {
  return error instanceof ApiError && error.code === code;
}

const hidden = Symbol.for('nodejs.util.inspect.custom');

/** A new sandbox. No other response shows its keys. */
export class Sandbox {
  #client;

  constructor(data, client) {
    Object.assign(this, data);
    const keys = { office: data.office_key, factory: data.factory_key, grading: data.grading_key };
    this.#client = client.with(keys);
  }

  /** A client with the keys of the sandbox, and the options that it was created with. */
  get client() {
    return this.#client;
  }

  get keys() {
    return { office: this.office_key, factory: this.factory_key, grading: this.grading_key };
  }

  /** A client with the grading key alone: what it reads leaves no trace. */
  get grader() {
    return this.#client.with({ grading: this.grading_key });
  }

  toString() {
    return `${this.sandbox_id} (${this.public_name})`;
  }

  [hidden]() {
    return `Sandbox ${this}`;
  }
}

/** Creates a sandbox without a client. */
export function createSandbox(baseURL, input, options = {}) {
  const { signal, idempotencyKey, call, ...settings } = options;
  return new Client(baseURL, {}, settings).createSandbox(input, { signal, idempotencyKey, call });
}

const defaults = {
  maxRetries: Number.POSITIVE_INFINITY,
  maxElapsedMs: 60_000,
  attemptTimeoutMs: 30_000,
  retryConflicts: false,
  creationKey: '',
  userAgent: globalThis.process?.versions?.node ? `platen-client-javascript/${VERSION}` : '',
  fetch: (...args) => globalThis.fetch(...args),
  onWait: () => {},
  onExchange: () => {},
  newKey: randomKey,
  now: () => Date.now(),
  sleep: pause,
};

/** Calls the API with the keys of a sandbox. */
export class Client extends Operations {
  #base;
  #keys;
  #settings;

  constructor(baseURL, keys = {}, options = {}) {
    super();
    const given = Object.entries(options).filter(([name, value]) => {
      if (!(name in defaults)) throw new TypeError(`platen: there is no option ${name}`);
      return value !== undefined;
    });
    this.#base = String(baseURL).replace(/\/+$/, '');
    this.#keys = { ...keys };
    this.#settings = { ...defaults, ...Object.fromEntries(given) };
    const url = URL.canParse(this.#base) ? new URL(this.#base) : null;
    if (!['http:', 'https:'].includes(url?.protocol) || url.search) {
      throw new TypeError(`platen: the base URL must be like http://127.0.0.1:8080/v1, not "${baseURL}"`);
    }
    if (url.pathname === '/') this.#base += BASE_PATH;
  }

  get baseURL() {
    return this.#base;
  }

  /** The same client with other keys, and with other options where they are given. */
  with(keys, options = {}) {
    return new Client(this.#base, keys, { ...this.#settings, ...options });
  }

  /**
   * Waits until the sandbox has had a request that the params choose, and returns it: a test waits so for the program
   * that it tests. Rejects with a PlatenError when none has come in time.
   */
  async waitForRequest(params = {}, { timeoutMs = WAIT_MS, signal } = {}) {
    const until = this.#settings.now() + timeoutMs;
    for (;;) {
      const left = Math.max(0, Math.ceil((until - this.#settings.now()) / 1000));
      const chosen = { ...params, limit: MOST_PER_PAGE, wait_s: Math.min(POLL_S, left) };
      const { items } = await this.listRequests(chosen, { signal });
      if (items.length) return items.at(-1);
      if (this.#settings.now() >= until) {
        throw new PlatenError(`no request came within ${timeoutMs} ms that fits ${JSON.stringify(params)}`);
      }
    }
  }

  /**
   * Follows the feed: yields every event after a number, and waits for more. Where there is a checkpoint, it is
   * asked where to begin, and told of an event when the loop asks for the next one, which is after its effect.
   */
  async *events({ after, checkpoint, types, system, wait_s = POLL_S, follow = true, limit, signal } = {}) {
    let seq = after ?? (await checkpoint?.load()) ?? 0;
    const pass = async number => {
      if (number <= seq) return;
      seq = number;
      await checkpoint?.save(seq);
    };
    let failures = 0;
    for (;;) {
      signal?.throwIfAborted();
      let page;
      const chosen = { types, system, limit: limit ?? MOST_PER_PAGE, after_seq: seq };
      try {
        page = follow
          ? await this.pollEvents({ ...chosen, wait_s }, { signal })
          : await this.listEvents(chosen, { signal });
        failures = 0;
      } catch (error) {
        // A follower outlives an outage: everything is still there afterwards.
        if (!follow || signal?.aborted || !this.#again(error)) throw error;
        await this.#rest('poll_events', error, ++failures, signal);
        continue;
      }
      for (const event of page.items) {
        yield event;
        await pass(event.seq);
      }
      if (page.next_cursor !== null && page.next_cursor !== undefined) continue;
      await pass(page.last_seq ?? 0); // events of other types need not be looked at again
      if (!follow) return;
    }
  }

  /** Sends a request that no method covers, once, and returns the response as it came. */
  async do(method, path, { body, headers, signal, idempotencyKey } = {}) {
    const target = `/${path.replace(/^\/+/, '')}`;
    const sent = new Headers(headers);
    const q = { operation: '', method, target: this.#base + target, body, keyOf: '' };
    if (!sent.has('authorization') && !sent.has('x-api-key')) {
      const first = target.slice(1).split(/[/?]/)[0];
      const system = { sandboxes: 'open', queue: 'open', office: 'office', factory: 'factory' }[first] ?? 'shared';
      const { key, of } = this.#key(system);
      q.keyOf = of;
      if (key) sent.set('authorization', `Bearer ${key}`);
    }
    if (body && !sent.has('content-type')) sent.set('content-type', 'application/json');
    if (!['GET', 'HEAD'].includes(method) && !sent.has('idempotency-key')) {
      sent.set('idempotency-key', idempotencyKey ?? this.#settings.newKey());
    }
    if (this.#settings.userAgent && !sent.has('user-agent')) sent.set('user-agent', this.#settings.userAgent);
    q.headers = sent;
    return this.#exchange(q, 1, signal);
  }

  // The base of the operations' methods.

  async _read(q, options) {
    return (await this.#call(q, options)).data;
  }

  async _write(q, options) {
    return (await this.#call({ ...q, write: true }, options)).data;
  }

  async _page(q, params = {}, options = {}) {
    const query = { ...params };
    if (q.operation === 'poll_events' && !query.cursor) query.after_seq ??= 0;
    const { data, meta, headers } = await this.#call({ ...q, query }, options);
    if (data === null || typeof data !== 'object' || Array.isArray(data)) {
      throw new PlatenError(`${q.operation}: decode the response: it is no page`);
    }
    return { items: [], next_cursor: null, ...data, etag: headers.get('etag') ?? '', meta };
  }

  async *_all(q, params = {}, options = {}) {
    const first = { limit: MOST_PER_PAGE, ...params };
    const known = new Set();
    let place = first;
    let conditions = options;
    let beginnings = 0;
    let last = 0;
    for (;;) {
      let page;
      try {
        page = await this._page(q, place, conditions);
      } catch (error) {
        const lost = isCode(error, 'invalid_cursor') && place !== first && !known.has(undefined);
        if (!lost || ++beginnings > MOST_BEGINNINGS) throw error;
        // The feed goes on behind the last event; a list is read again, without the rows that came already.
        place = last > 0 ? { ...first, after_seq: last } : { ...first };
        if (last > 0) delete place.cursor;
        continue;
      }
      for (const item of page.items) {
        if (item.id !== undefined && known.has(item.id)) continue;
        known.add(item.id);
        if (q.operation === 'list_events') last = item.seq;
        yield item;
      }
      if (!page.next_cursor) return;
      if (page.next_cursor === place.cursor) {
        throw new PlatenError(`${q.operation}: the next page is this one again`);
      }
      // A cursor of the feed goes on from an event of its own.
      const { after_seq: _, ...rest } = place;
      place = { ...rest, cursor: page.next_cursor };
      conditions = { ...conditions, ifNoneMatch: undefined };
    }
  }

  async _create(q, options = {}) {
    const { signal } = options;
    // One key for all proofs.
    const kept = { ...options, idempotencyKey: options.idempotencyKey ?? this.#settings.newKey() };
    let result;
    let proof;
    for (let proofs = 0; result === undefined; proofs++) {
      try {
        result = await this.#call({ ...q, write: true, proof }, kept);
      } catch (error) {
        if (!isCode(error, 'pow_required') || proofs === MOST_PROOFS) throw error;
        proof = await this.#prove(error, signal);
      }
    }
    let ticket = {};
    while (result.status === 202) {
      ticket = { ...ticket, ...result.data };
      const seconds = /^\d+$/.test(result.headers.get('retry-after') ?? '') ? result.headers.get('retry-after') : 0;
      const wait = Math.max(TICKET_WAIT_MS, Number(seconds) * 1000);
      this.#settings.onWait({ operation: q.operation, durationMs: wait, ticket: { ...ticket } });
      await this.#settings.sleep(wait, signal);
      result = await this.#call(
        { operation: q.operation, method: 'GET', absolute: ticket.poll, system: 'open' },
        { signal, call: options.call },
      );
    }
    return new Sandbox(result.data, this);
  }

  async _look(q, options) {
    const { status, data } = await this.#call(q, options);
    return status === 202 ? { sandbox: null, ticket: data } : { sandbox: new Sandbox(data, this), ticket: null };
  }

  async #prove(error, signal) {
    const { challenge, difficulty } = error.details ?? {};
    const proof = solve(challenge, difficulty, signal);
    if (!proof) throw error;
    this.#settings.onWait({ operation: error.operation, durationMs: 0, error, difficulty });
    return proof();
  }

  // One call: a request, sent until it has a final response.

  async #call(q, options = {}) {
    const { signal, idempotencyKey, ifMatch, ifNoneMatch, call = {} } = options ?? {};
    const { maxRetries, maxElapsedMs, now } = this.#settings;
    for (const name of Object.keys(call)) delete call[name];
    call.attempts = 0;
    const prepared = this.#prepare(q, { idempotencyKey, ifMatch, ifNoneMatch });
    call.idempotencyKey = prepared.headers.get('idempotency-key') ?? '';
    signal?.throwIfAborted();
    const began = now();
    for (;;) {
      call.attempts++;
      try {
        return await this.#attempt(prepared, call, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof PlatenError) error.attempts = call.attempts;
        if (!this.#again(error)) throw error;
        const wait = this.#delay(error, call.attempts);
        if (call.attempts > maxRetries || now() - began + wait > maxElapsedMs) throw error;
        this.#settings.onWait({ operation: q.operation, durationMs: wait, error });
        await this.#settings.sleep(wait, signal);
      }
    }
  }

  #prepare(q, { idempotencyKey, ifMatch, ifNoneMatch }) {
    const { key, of } = this.#key(q.system);
    const headers = new Headers({ accept: 'application/json' });
    const set = (name, value) => value && headers.set(name, value);
    set('user-agent', this.#settings.userAgent);
    set('if-none-match', ifNoneMatch);
    set('sim-pow', q.proof);
    const sent = q.operation === 'create_sandbox' ? this.#settings.creationKey : key;
    set('authorization', sent && `Bearer ${sent}`);
    if (q.body !== undefined) set('content-type', 'application/json');
    if (q.write) {
      const unique = idempotencyKey ?? this.#settings.newKey();
      // A write without a key must never be repeated, so none is sent.
      if (unique === '') throw new PlatenError(`${q.operation}: the idempotency key is empty`);
      set('idempotency-key', unique);
      set('if-match', ifMatch);
    }
    const body = q.body === undefined ? undefined : JSON.stringify(q.body);
    const target = q.absolute === undefined ? this.#base + place(q) : this.#atOrigin(q);
    return { operation: q.operation, method: q.method, target, headers, body, keyOf: of };
  }

  // A ticket names a path of the server. It can lead nowhere else.
  #atOrigin(q) {
    const path = q.absolute;
    const { origin } = new URL(this.#base);
    const url = typeof path === 'string' && path.startsWith('/') && URL.canParse(path, origin) && new URL(path, origin);
    if (!url || url.origin !== origin || path.startsWith('//')) {
      throw new PlatenError(`${q.operation}: the ticket names no path of this server`);
    }
    return url.href;
  }

  // Shared routes take the key of either system, but in an evaluation those that its player must not use (judged)
  // take the grading key.
  #key(system) {
    const order = { open: [], shared: ['office', 'factory', 'grading'], judged: ['grading', 'office', 'factory'] };
    if (system === 'open') return { key: '', of: '' };
    for (const of of order[system] ?? [system]) if (this.#keys[of]) return { key: this.#keys[of], of };
    throw new NoKeyError(`the client has no key for this system (${system})`);
  }

  async #attempt(q, call, signal) {
    const { attempts, idempotencyKey } = call;
    for (const name of Object.keys(call)) delete call[name];
    Object.assign(call, { attempts, idempotencyKey, status: 0, replayed: false, etag: '' });
    const { status, headers, body } = await this.#exchange(q, attempts, signal);
    const replayed = headers.get('idempotency-replayed') === 'true';
    Object.assign(call, { status, headers, body, replayed, etag: headers.get('etag') ?? '' });
    if (status === 304) throw new NotModified(`${q.operation}: not modified`);
    if (status < 200 || status > 299) throw this.#refusal(q.operation, call);
    const envelope = parsed(body);
    if (envelope === null || typeof envelope !== 'object' || Array.isArray(envelope)) {
      throw new PlatenError(`${q.operation}: decode the response: it is no envelope`);
    }
    call.meta = envelope.meta;
    return { status, headers, data: envelope.data, meta: envelope.meta };
  }

  // A body that is no envelope comes from something in between, and is described by its status alone.
  #refusal(operation, call) {
    const { status, headers, body } = call;
    const envelope = parsed(body);
    const error = envelope?.error;
    call.meta = envelope?.meta;
    return new ApiError(operation, status, {
      code: error?.code ?? '',
      text: error?.message ?? 'The response is not one of the API.',
      hint: error?.hint ?? '',
      docsUrl: error?.docs_url ?? '',
      details: error?.details ?? null,
      retryable: error?.retryable === true,
      retryAt: error?.retry_at ?? null,
      retryAfterMs: wanted(headers, envelope, this.#settings.now()),
      requestId: envelope?.meta?.request_id || headers.get('request-id') || '',
    });
  }

  #again(error) {
    if (error instanceof NetworkError) return true; // reads change nothing, writes have their key
    if (!(error instanceof ApiError)) return false;
    switch (error.status) {
      case 429:
      case 503:
        return true;
      case 409:
        return error.code === 'request_in_progress' || (error.retryable && this.#settings.retryConflicts);
      case 502:
      case 504:
        return error.code === '' || error.retryable; // a gateway that did not get through is the network
      default:
        return error.retryable;
    }
  }

  #delay(error, attempts) {
    if (error.retryAfterMs > 0) return error.retryAfterMs;
    // At random, so that clients that failed together do not come back together.
    return Math.random() * Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
  }

  async #rest(operation, error, failures, signal) {
    const wait = this.#delay(error, failures);
    this.#settings.onWait({ operation, durationMs: wait, error });
    await this.#settings.sleep(wait, signal);
  }

  async #exchange(q, attempt, signal) {
    const { now, onExchange } = this.#settings;
    const began = now();
    const told = {
      operation: q.operation,
      method: q.method,
      path: q.target.startsWith(this.#base) ? q.target.slice(this.#base.length) : q.target,
      system: q.keyOf,
      attempt,
      request: q.body ?? null,
    };
    const report = exchange => {
      try {
        onExchange({ ...told, ...exchange, durationMs: now() - began });
      } catch (error) {
        console.error('platen: onExchange failed:', error); // the request has its outcome, which a report must not replace
      }
    };
    let answer;
    try {
      answer = await this.#send(q, signal);
    } catch (error) {
      report({ status: 0, headers: null, response: null, error });
      throw error;
    }
    report({ status: answer.status, headers: answer.headers, response: answer.body, error: null });
    return answer;
  }

  async #send(q, signal) {
    const limit = new AbortController();
    const timer = setTimeout(
      () => limit.abort(new Error('the attempt took too long')),
      this.#settings.attemptTimeoutMs,
    );
    const forget = onAbort(signal, () => limit.abort(signal.reason));
    const name = q.operation || `${q.method} ${q.target}`;
    try {
      const response = await this.#settings.fetch(q.target, {
        method: q.method,
        headers: q.headers,
        body: q.body,
        signal: limit.signal,
        redirect: 'manual',
      });
      const body = await text(response, limit);
      if (body === null) throw new PlatenError(`${name}: the response has more than ${MOST_BYTES} bytes`);
      return { status: response.status, headers: response.headers, body };
    } catch (error) {
      if (error instanceof PlatenError) throw error;
      const cause = limit.signal.aborted ? limit.signal.reason : error;
      const why = limit.signal.aborted ? '' : apart(q.target) || hint(cause);
      const { message } = cause?.cause?.message ? cause.cause : (cause ?? {});
      throw new NetworkError(`${name}: ${this.#base}: ${message || cause}${why}`, { cause });
    } finally {
      clearTimeout(timer);
      forget();
    }
  }
}

// One listener for each signal, however many calls share it: Node.js warns of more than ten.
const waiting = new WeakMap();

// onAbort calls a function when a signal is aborted, at once if it is already. Call the returned function to undo that.
function onAbort(signal, act) {
  if (signal?.aborted) act();
  if (!signal || signal.aborted) return () => {};
  let acts = waiting.get(signal);
  if (!acts) {
    acts = new Set();
    waiting.set(signal, acts);
    const end = () => {
      for (const each of [...acts]) each();
    };
    signal.addEventListener('abort', end, { once: true });
  }
  acts.add(act);
  return () => acts.delete(act);
}

// apart says what a browser does not tell scripts: pages of other origins are not served.
function apart(target) {
  const page = globalThis.location?.origin;
  const api = new URL(target).origin;
  if (!page || page === api) return '';
  return (
    `. This page is from ${page} and the API at ${api}, which takes no part in CORS. ` +
    "A page can reach it through the page's own server."
  );
}

// hint is for the most frequent mistake. Of a host with several addresses there is a list of errors, without a text.
function hint({ cause }) {
  const refused = [cause, ...(cause?.errors ?? [])].some(error => error?.code === 'ECONNREFUSED');
  return refused ? '. Is the server running?' : '';
}

// text reads a response, null where it is too long.
async function text(response, limit) {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let all = '';
  let bytes = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return all + decoder.decode();
    bytes += value.length;
    if (bytes > MOST_BYTES) {
      limit.abort();
      return null;
    }
    all += decoder.decode(value, { stream: true });
  }
}

// place is the path of a request below the base URL, with its query.
function place({ operation, path, ids = [], query = {} }) {
  let next = 0;
  const filled = path.replace(/\{[^}]*\}/g, () => {
    const id = ids[next++];
    // An empty id, or one that a URL takes for a folder, could only mean another route.
    if (typeof id !== 'string' || id === '' || id === '.' || id === '..') {
      throw new PlatenError(`${operation}: ${id === '' ? 'the id is empty' : `${id} is no id`}`);
    }
    return encodeURIComponent(id);
  });
  const chosen = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '' || value.length === 0) continue;
    if (value instanceof Date) chosen.set(name, value.toISOString());
    else chosen.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  return chosen.size > 0 ? `${filled}?${chosen}` : filled;
}

// wanted is the time that the server asks to wait: Retry-After or the time to retry_at, whichever is longer. Moments
// are compared with the server's own clock, since ours may be wrong.
function wanted(headers, envelope, now) {
  const its = Date.parse(envelope?.meta?.server_time ?? headers.get('date') ?? '');
  const clock = Number.isNaN(its) ? now : its;
  const after = headers.get('retry-after') ?? '';
  let wait = 0;
  if (/^\d+$/.test(after)) wait = Number(after) * 1000;
  else if (!Number.isNaN(Date.parse(after))) wait = Date.parse(after) - clock;
  const until = Date.parse(envelope?.error?.retry_at ?? '') - clock;
  return Math.max(wait, Number.isNaN(until) ? 0 : until, 0);
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** An idempotency key for the step and its record, such as accept-SO-1001. */
export function keyFor(step, record, ordinal) {
  return [step, record, ordinal].filter(part => part !== undefined).join('-');
}

/** A key of 32 random characters. */
function randomKey() {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      forget();
      resolve();
    }, ms);
    const forget = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
