// The sandbox as the console knows it. It is filled once from the server's
// state and then by the stream of changes; pages only read.
import { signal, computed, batch } from '../vendor/preact.js';
import { session, alone, anyKey, reviewing } from './session.js';
import { call, parse, Refusal, sleep } from './api.js';

const eventsMost = 600;
const callsMost = 500;
const retryMost = 8000;
const silenceMost = 20000;

// link is {state, until, refusal}. States: connecting, live, reconnecting,
// limited, offline, gone, none.
export const link = signal({ state: session.value ? 'connecting' : 'none' });
export const status = signal(null);
export const present = signal(null);
export const events = signal([]);
export const calls = signal([]);
export const points = signal([]);
export const now = signal(Date.now());
// births counts what came after the first state: rows beyond it are marked new.
export const lastSeen = signal(0);

const tables = new Map();
const table = resource => {
  if (!tables.has(resource)) tables.set(resource, signal(new Map()));
  return tables.get(resource);
};
const lists = new Map();

// heldMost is how many rows of a list the first state has at most; cut are the resources of which it had as many, so
// that older rows may be missing here.
const heldMost = 300;
const cut = new Set();
export const whole = resource => !cut.has(resource);

// rows are the records of a resource, newest first.
export function rows(resource) {
  if (!lists.has(resource))
    lists.set(
      resource,
      computed(() => [...table(resource).value.values()].reverse()),
    );
  return lists.get(resource).value;
}
export const row = (resource, id) => table(resource).value.get(id);
export const loaded = computed(() => status.value !== null);

// skew is how far the server's clock is ahead of the browser's, in ms.
const skew = signal(0);
export const serverNow = computed(() => now.value + skew.value);
export const left = computed(() =>
  status.value ? Math.max(0, Math.round((Date.parse(status.value.expires_at) - serverNow.value) / 1000)) : null,
);
// lowSeconds is the time left from which on it is shown as little.
export const lowSeconds = 600;
export const readOnly = computed(() => {
  const state = present.value?.status;
  if (state && state !== 'active') return state;
  return link.value.state === 'gone' ? 'gone' : reviewing() ? 'review' : '';
});

setInterval(() => {
  now.value = Date.now();
}, 1000);

function apply(change) {
  batch(() => {
    if (change.whole) {
      cut.clear();
      for (const [resource, all] of Object.entries(change.records ?? {})) if (all.length >= heldMost) cut.add(resource);
      events.value = [];
      calls.value = [];
      points.value = [];
      for (const t of tables.values()) t.value = new Map();
    }
    present.value = change.now;
    skew.value = Date.parse(change.now.server_time) - Date.now();
    if (change.status) status.value = change.status;
    if (change.events?.length) {
      if (change.whole) lastSeen.value = change.events.at(-1).seq;
      events.value = [...change.events.reverse(), ...events.value].slice(0, eventsMost);
    }
    if (change.calls?.length) calls.value = [...change.calls.reverse(), ...calls.value].slice(0, callsMost);
    if (change.points?.length) points.value = [...points.value, ...change.points];
    for (const [resource, changed] of Object.entries(change.records ?? {})) {
      const t = table(resource);
      const next = change.replaced?.includes(resource) ? new Map() : new Map(t.value);
      for (const r of changed) next.set(r.id, r);
      t.value = next;
    }
  });
}

// facts are numbers of this server, as its document has them.
const told = document.documentElement.dataset;
export const facts = {
  extension: told.extension,
  grace: told.grace,
  window: told.window,
  windowSeconds: Number(told.windowS),
};

let stop;

// hiddenMs is how long a page that nobody sees stays connected.
const hiddenMs = 60_000;

// connect keeps the store up to date until disconnect, while the page can be seen: a console that nobody looks at
// keeps no clock running.
export function connect() {
  disconnect();
  let control;
  let leaving;
  const leave = () => {
    control?.abort();
    control = undefined;
  };
  const turn = () => {
    clearTimeout(leaving);
    if (document.hidden) {
      leaving = setTimeout(leave, hiddenMs);
    } else if (!control) {
      control = new AbortController();
      link.value = { state: 'connecting' };
      follow(control.signal).catch(() => {});
    }
  };
  const seen = new AbortController();
  addEventListener('visibilitychange', turn, { signal: seen.signal });
  stop = () => {
    seen.abort();
    clearTimeout(leaving);
    leave();
  };
  turn();
}

export function disconnect() {
  stop?.();
  stop = undefined;
}

// enter leaves the sandbox for that of another session; nothing of it stays here.
export function enter(next) {
  disconnect();
  batch(() => {
    session.value = next;
    status.value = null;
    present.value = null;
    events.value = [];
    calls.value = [];
    points.value = [];
    for (const t of tables.values()) t.value = new Map();
    link.value = { state: next ? 'connecting' : 'none' };
  });
}

// opened is the session of keys, or of a reviewer's token, once the server knows them.
export async function opened({ review, office_key, factory_key }) {
  const headers = { Authorization: `Bearer ${review ?? office_key ?? factory_key}` };
  if (!review && office_key && factory_key) headers['Platen-Other-Key'] = factory_key;
  const { data } = await call('/console/data/state', { headers });
  return {
    sandbox_id: data.status.sandbox_id,
    public_name: data.status.public_name,
    ...(review ? { review } : { office_key, factory_key }),
    seen: true,
  };
}

// forget leaves the sandbox: the keys are gone from this tab.
export const forget = () => enter(null);

// Tabs of one browser tell each other: `ask` comes from a tab without keys, `offer` is the session of one with keys,
// `left` the id of a sandbox that was signed out of.
const tabs = new BroadcastChannel('platen.session');
const offers = new Set();

tabs.onmessage = ({ data: { ask, offer, left } }) => {
  if (ask && session.value?.seen && session.value.sandbox_id) tabs.postMessage({ offer: alone(session.value) });
  if (offer) for (const take of offers) take(offer);
  if (left && left === session.value?.sandbox_id) forget();
};

// offered calls take with the session of each other tab until you call its result.
export function offered(take) {
  offers.add(take);
  tabs.postMessage({ ask: true });
  return () => offers.delete(take);
}

// signOut leaves the sandbox in all tabs of the browser.
export function signOut() {
  tabs.postMessage({ left: session.value.sandbox_id });
  forget();
}

const keyHeaders = () => {
  const headers = { Authorization: `Bearer ${anyKey()}` };
  if (session.value.office_key && session.value.factory_key) headers['Platen-Other-Key'] = session.value.factory_key;
  return headers;
};

// ended is why nothing can happen any more: expired, bankrupt, gone or '', also for a reviewer.
export const ended = computed(() => (readOnly.value === 'review' ? '' : readOnly.value));

// ask reads one of the console's own routes, which is no request of a client.
export const ask = (path, signal) => call(path, { headers: keyHeaders(), signal });

// send asks with a body.
export const send = (path, body) => call(path, { method: 'POST', headers: keyHeaders(), body });

// introduce lets the session know whose keys it has.
function introduce({ sandbox_id, public_name, forked_from = null }) {
  const s = session.value;
  if (s.sandbox_id !== sandbox_id || s.forked_from === undefined)
    session.value = { ...s, sandbox_id, public_name, forked_from };
}

async function follow(signal) {
  let place = '';
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (!place) {
        const { data } = await ask('/console/data/state', signal);
        if (signal.aborted) return;
        apply(data);
        place = data.place;
        introduce(data.status);
      }
      await listen(place, signal, () => {
        failures = 0;
        link.value = { state: 'live' };
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error.place) place = error.place;
      if (error.status === 401) {
        link.value = { state: 'gone', refusal: error };
        return;
      }
      const wait =
        error.status === 429 && error.retryAt
          ? Math.max(500, error.retryAt - Date.now())
          : Math.min(retryMost, 400 * 2 ** failures++) * (0.75 + Math.random() / 2);
      link.value = {
        state: error.status === 429 ? 'limited' : navigator.onLine === false ? 'offline' : 'reconnecting',
        until: Date.now() + wait,
        refusal: error,
      };
      await rest(wait, signal);
    }
  }
}

// rest waits for a time, or until the browser is online again; nothing of it stays
// behind.
async function rest(wait, signal) {
  const over = new AbortController();
  const online = new Promise(resolve => addEventListener('online', resolve, { once: true, signal: over.signal }));
  await Promise.race([sleep(wait, signal), online]).catch(() => {});
  over.abort();
}

// listen reads the stream. It only ends with an error, which says how far it came.
async function listen(place, signal, alive) {
  const control = new AbortController();
  const abort = () => control.abort();
  signal.addEventListener('abort', abort);
  let watchdog = setTimeout(abort, silenceMost);
  try {
    const response = await fetch('/console/stream', {
      headers: { ...keyHeaders(), 'Last-Event-ID': place },
      signal: control.signal,
      credentials: 'omit',
      cache: 'no-store',
    });
    if (!response.ok) {
      const envelope = await response.json().catch(() => ({}));
      throw Object.assign(
        new Refusal(response.status, envelope.error, envelope.meta, Number(response.headers.get('Retry-After')) || 0),
        { place },
      );
    }
    alive();
    for await (const message of parse(response.body.getReader())) {
      clearTimeout(watchdog);
      watchdog = setTimeout(abort, silenceMost);
      if (signal.aborted) break;
      if (message.event === 'gone') throw new Refusal(401, { code: 'unauthorized', message: 'The sandbox is gone.' });
      apply(message.data);
      place = message.id ?? place;
    }
    throw Object.assign(new Refusal(0), { place });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw Object.assign(new Refusal(0), { place });
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener('abort', abort);
    control.abort();
  }
}

// learn takes what a sandbox says of itself, unless it was left meanwhile.
function learn(data) {
  if (data.sandbox_id === session.value?.sandbox_id) status.value = data;
}

// extend asks for more time.
export async function extend() {
  learn((await call('/v1/sandbox/extend', { method: 'POST', key: anyKey() })).data);
}

// setClock pauses the clock of the company, or lets it run.
export async function setClock(mode) {
  learn((await call('/v1/sandbox', { method: 'PATCH', key: anyKey(), body: { clock: mode } })).data);
}

// tick moves the clock by hand, and returns what came of it.
export async function tick(body) {
  const { data } = await call('/v1/sandbox/tick', { method: 'POST', key: anyKey(), body });
  return data;
}

export const canExtend = computed(
  () =>
    left.value !== null &&
    left.value > 0 &&
    left.value <= facts.windowSeconds &&
    status.value.extensions_left > 0 &&
    !status.value.evaluation,
);
