// Events, newest first, as the overview and the page of events show them.
import { useState, useLayoutEffect, signal } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { onPause } from '../lib/navigate.js';
import * as store from '../lib/store.js';
import { day } from '../lib/format.js';
import { Ago, Empty, EventType, FilterBox, Json, SkeletonRows, curl } from './parts.js';

const systems = ['office', 'factory', 'hr', 'world', 'sandbox'];
const names = { office: 'Office', factory: 'Factory', hr: 'People', world: 'World', sandbox: 'Sandbox' };
const chosen = signal(new Set(systems));
const query = signal('');
const held = signal(null);
const open = signal('');

// subject is what an event is about, in a word or two.
const subject = e => e.data.number ?? e.data.title ?? e.data.name ?? e.data.badge_no ?? e.data.sku ?? e.data.id ?? '';

function hold(on) {
  held.value = on ? store.events.value : null;
  if (!on) open.value = '';
}

export function Feed({ limit = 200, tall = false }) {
  const all = held.value ?? store.events.value;
  const fresh = held.value ? store.events.value.length && store.events.value[0].seq - (held.value[0]?.seq ?? 0) : 0;
  const [born] = useState(() => store.lastSeen.value || Infinity);
  useLayoutEffect(() => {
    onPause.current = () => hold(!held.value);
    return () => {
      onPause.current = null;
      hold(false);
    };
  }, []);
  const q = query.value.toLowerCase();
  const shown = all
    .filter(
      e =>
        chosen.value.has(e.system) &&
        (!q || e.type.includes(q) || e.id.includes(q) || JSON.stringify(e.data).toLowerCase().includes(q)),
    )
    .slice(0, limit);
  const flip = s => {
    const next = new Set(chosen.value);
    next.has(s) ? next.delete(s) : next.add(s);
    chosen.value = next;
  };
  // A list that moves while a row is read cannot be read.
  const toggle = e => {
    if (open.value === e.id) {
      open.value = '';
      return;
    }
    if (!held.value) hold(true);
    open.value = e.id;
  };
  return html`
    <section class=${`card events ${tall ? 'tall' : ''}`} aria-label="Events">
      <div class="card-h">
        <h2>${tall ? 'Feed' : 'Live events'}</h2>
        ${fresh > 0 ? html`<button class="pill info fresh" onClick=${() => hold(false)}>${fresh} new</button>` : null}
        <span class="grow" />
        <button class="btn small" aria-pressed=${!!held.value} onClick=${() => hold(!held.value)}>
          <${Icon} name=${held.value ? 'play' : 'pause'} size=${13} />
          ${held.value ? 'Go on' : 'Hold'} <kbd aria-hidden="true">p</kbd>
        </button>
      </div>
      <div class="filters">
        <${FilterBox}
          label="Filter events"
          value=${query.value}
          onInput=${t => {
            query.value = t;
          }}
        />
        <div class="chips">
          ${systems.map(
            s => html`
              <button class=${`chip ${s}`} aria-pressed=${chosen.value.has(s)} onClick=${() => flip(s)}>
                ${names[s]}
              </button>
            `,
          )}
        </div>
      </div>
      ${
        !store.loaded.value
          ? html`<${SkeletonRows} rows=${8} widths=${['2rem', '70%', '3rem']} />`
          : !shown.length
            ? html`
              <${Empty} icon="activity" title=${all.length ? 'Nothing matches' : 'Nothing has happened yet'}>
                <p>
                  ${
                    all.length
                      ? 'Esc clears the filter; the chips bring the systems back.'
                      : 'Each change of the company writes one event.'
                  }
                </p>
              <//>
            `
            : html`
              <ol class="feed" aria-label="Events, newest first">
                ${shown.map(
                  e => html`
                    <li key=${e.id} class=${e.seq > born ? 'in' : ''}>
                      <button
                        class=${`ev ${e.system}`}
                        data-row
                        aria-expanded=${open.value === e.id}
                        data-curl=${curl(`/events/${e.id}`)}
                        onClick=${() => toggle(e)}
                      >
                        <span class="seq">${e.seq}</span>
                        <i class="dot" aria-hidden="true" />
                        <${EventType} type=${e.type} />
                        <span class="ref">${subject(e)}</span>
                        <span class="grow" />
                        <span class="date" title=${e.sim_date}>
                          ${tall ? day(e.sim_date) : day(e.sim_date).slice(4)}
                        </span>
                        <span class="when"><${Ago} at=${e.created_at} /></span>
                      </button>
                      ${
                        open.value === e.id
                          ? html`<div class="ev-body"><${Json} value=${e} what="event" /></div>`
                          : null
                      }
                    </li>
                  `,
                )}
              </ol>
            `
      }
    </section>
  `;
}
