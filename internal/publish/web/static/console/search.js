// The search of the feed on the server, for events that this tab does not hold.
import { useEffect, useRef, useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { anyKey } from '../lib/session.js';
import { Refusal, call } from '../lib/api.js';
import * as store from '../lib/store.js';
import { number } from '../lib/format.js';
import { Problem } from './parts.js';

const pageSize = 100;
// pagesMost is how many pages one search reads, each with the budget of the key.
const pagesMost = 20;

// before yields the events before a number, the newest first: {events, from}. The numbers have no gap, so that the
// events after a number are a page.
export async function* before(seq, signal) {
  for (let first = seq; first > 1; ) {
    const after = Math.max(0, first - 1 - pageSize);
    const path = `/v1/events?limit=${first - 1 - after}&after_seq=${after}`;
    const { data } = await call(path, { key: anyKey(), signal });
    first = after + 1;
    yield { events: data.items.slice().reverse(), from: first };
  }
}

// useWalk reads the feed backwards from a number and keeps what matches, until it is stopped, has read its pages, or
// has reached the first event. about names what is looked for: another one begins anew.
export function useWalk(about, first, matches) {
  const none = { about, found: [], from: first };
  const [last, set] = useState(none);
  const [{ busy, refusal }, go] = useState({ busy: false, refusal: null });
  const control = useRef();
  const stop = () => control.current?.abort();
  useEffect(() => stop, [about]);
  const now = last.about === about ? last : none;
  const run = async () => {
    control.current = new AbortController();
    const { signal } = control.current;
    go({ busy: true, refusal: null });
    let pages = 0;
    let { found } = now;
    try {
      for await (const { events, from } of before(now.from, signal)) {
        found = [...found, ...events.filter(matches)];
        if (signal.aborted) break;
        set({ about, found, from });
        if (++pages === pagesMost) break;
      }
      go({ busy: false, refusal: null });
    } catch (e) {
      go({ busy: false, refusal: signal.aborted ? null : e instanceof Refusal ? e : new Refusal(0) });
    }
  };
  return { ...now, busy, refusal, run, stop };
}

// Search says how far the events were searched, and searches on. It tells what it has found.
export function Search({ query, matches, first, tell }) {
  const { found, from, busy, refusal, run, stop } = useWalk(query, first, matches);
  useEffect(() => tell({ query, found, from }), [query, found, from]);
  const last = number(store.status.value.last_seq);
  const name = from === first ? `Search all ${last}` : 'Search further';
  return html`
    <div class="pad older search" role="status">
      ${
        busy
          ? html`
            <button class="btn small" onClick=${stop}><${Icon} name="x" size=${13} />Stop</button>
            <span class="dim num">Searched back to event ${number(from)}…</span>
          `
          : html`
            ${from > 1 ? html`<button class="btn small" id="search-all" onClick=${run}>${name}</button>` : null}
            <span class="dim">
              ${from === 1 ? `Searched all ${last} events.` : `Searched back to event ${number(from)}.`}
              ${from > 1 ? ' More counts towards your rate limit.' : ''}
            </span>
          `
      }
      ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
    </div>
  `;
}
