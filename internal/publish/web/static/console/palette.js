// The palette: one field that finds records, pages, docs and actions. The keyboard alone is
// enough: arrows choose, Enter opens, Escape closes, and the focus stays inside.
import { useEffect, useLayoutEffect, useRef, useState } from '../vendor/preact.js';
import { html, Icon, copy, say } from '../lib/html.js';
import { finding, go, helping, sharing } from '../lib/navigate.js';
import { anyKey, canShare, reviewing, session, theme, themes } from '../lib/session.js';
import { call, Refusal } from '../lib/api.js';
import * as store from '../lib/store.js';
import { docs, matching, records } from '../lib/find.js';
import { number, words } from '../lib/format.js';
import { lists } from './catalogue.js';

// rest is how long nothing is typed before the docs are searched, in ms.
const rest = 180;

// alsoCalled are other words for pages and lists.
const alsoCalled = {
  overview: 'cash money net worth chart attention problems stock',
  bridge: 'gaps carry score',
  presses: 'print runs machines production',
  webhooks: 'deliveries endpoints signatures',
  requests: 'calls errors log bodies',
  faults: 'inject triggers response lost storm chaos',
  checkpoints: 'forks go back time travel branch',
  session: 'lease extend theme sign out delete start over',
  connect: 'client sdk snippets mcp agent',
  ledger: 'cash money bank movements why',
  'customer-invoices': 'bills revenue receivables',
  'supplier-invoices': 'bills payables match',
  'payroll-runs': 'wages salaries',
  'purchase-orders': 'buy material restock',
  stock: 'paper ink inventory warehouse',
};

const systems = { office: 'Head Office', factory: 'Factory', world: 'World' };

// pagesOf are the pages of the console and the lists of records.
const pagesOf = pages => [
  ...pages.map(([slug, , title, icon, group]) => ({
    title,
    also: alsoCalled[slug || 'overview'],
    icon,
    text: '',
    kind: group,
    href: slug ? `/console/${slug}` : '/console',
  })),
  ...Object.entries(lists).flatMap(([system, all]) =>
    all.map(([list, , title]) => ({
      title,
      also: alsoCalled[list],
      icon: 'layers',
      text: systems[system],
      kind: 'List',
      href: `/console/${system}/${list}`,
    })),
  ),
];

const moved = t => `${t.sim_time}: ${number(t.events_written)} event${t.events_written === 1 ? '' : 's'}`;
const tick = body => async () => moved(await store.tick(body));

// verifying sends a test ping, which takes a subscription into service.
const verifying = hook => async () => {
  const { data } = await call(`/v1/webhooks/${hook.id}/test`, { method: 'POST', key: anyKey() });
  go(`/console/webhooks/${hook.id}`);
  if (data.delivered) return `Responded with ${data.status_code} in ${data.latency_ms} ms`;
  return `No 2xx response: ${data.status_code ?? words(data.error_class)}`;
};

// actions are those possible now; each returns its result.
function actions() {
  const s = store.status.value;
  const open = s && !store.readOnly.value;
  const runs = s?.clock.mode === 'realtime' && !s.clock.waiting;
  const clock = [
    ['Move the clock by an hour', 'tick +1 hour', 'clock', tick({ minutes: 60 })],
    ['Move the clock by a working day', 'tick +1 day', 'calendar', tick({ minutes: 480 })],
    ['Move the clock to the next decision', 'tick until', 'target', tick({ until: { decision: true } })],
  ];
  const flip = async () => {
    await store.setClock(runs ? 'manual' : 'realtime');
    return runs ? 'The clock is paused' : 'The clock runs';
  };
  const extend = async () => {
    await store.extend();
    return `Extended by ${store.facts.extension}`;
  };
  const hooks = store.rows('webhook').map(hook => {
    const pending = hook.status === 'pending_verification';
    return [
      `${pending ? 'Verify' : 'Send a test to'} ${hook.url_host}`,
      'webhook verify test',
      'webhook',
      verifying(hook),
    ];
  });
  const visit = page => async () => go(page);
  const share = async () => {
    sharing.value = true;
  };
  const shown = ([name, icon, label]) => {
    const set = async () => {
      theme.value = name;
    };
    return [`Theme: ${label.toLowerCase()}`, 'appearance colour', icon, set];
  };
  const all = [
    ...(open && !s.clock.waiting ? clock : []),
    ...(open && !s.evaluation
      ? [[runs ? 'Pause the clock' : 'Run the clock', 'play', runs ? 'pause' : 'play', flip]]
      : []),
    ...(store.canExtend.value && open ? [['Extend the sandbox', 'time lease', 'plus', extend]] : []),
    ...(open ? hooks : []),
    ['Add a webhook', 'subscribe create', 'webhook', visit('/console/webhooks')],
    ['Start over, or delete the sandbox', 'reset begin again end', 'rotate-cw', visit('/console/session')],
    ...(reviewing()
      ? []
      : [
          ['Fork the sandbox', 'checkpoint go back', 'git-compare', visit('/console/checkpoints')],
          ['Trigger an event or inject a fault', 'trigger fault inject', 'zap', visit('/console/faults')],
        ]),
    ...(canShare() ? [['Share a read-only link', 'reviewer colleague', 'link', share]] : []),
    ['Copy the sandbox id', 'sbx', 'copy', async () => void copy(session.value.sandbox_id, 'Sandbox id')],
    ...themes.map(shown),
    [
      'Show the keyboard shortcuts',
      'help keys',
      'keyboard',
      async () => {
        helping.value = true;
      },
    ],
  ];
  return all.map(([title, also, icon, run]) => ({ title, also, icon, run, text: '', kind: 'Action' }));
}

// useDocs are the places of the docs that the server finds, a moment after the last key; they are
// busy until those of the present query have come.
function useDocs(query) {
  const [state, set] = useState({ query: '', found: [] });
  useEffect(() => {
    const control = new AbortController();
    const timer = setTimeout(async () => {
      const found = await docs(query, control.signal).catch(() => []);
      if (!control.signal.aborted) set({ query, found });
    }, rest);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [query]);
  const wanted = query.trim().length > 1;
  return { found: wanted ? state.found : [], busy: wanted && state.query !== query };
}

// take opens or does what was chosen.
async function take(item) {
  finding.value = false;
  if (item.href) {
    if (item.href.startsWith('/console')) go(item.href);
    else location.assign(item.href);
    return;
  }
  try {
    const outcome = await item.run();
    if (outcome) say(outcome);
  } catch (e) {
    say(e instanceof Refusal ? e.message : 'Something went wrong');
  }
}

const Option = ({ item, id, chosen, choose }) => html`
  <li
    role="option"
    id=${id}
    class=${item.system ?? ''}
    aria-selected=${chosen}
    onMouseMove=${choose}
    onClick=${() => take(item)}
  >
    ${item.icon ? html`<${Icon} name=${item.icon} size=${15} />` : html`<i class="dot" aria-hidden="true" />`}
    <span class="opt-t">${item.title}</span>
    <span class="opt-x">${item.text}</span>
    <span class="opt-k">${item.kind}</span>
  </li>
`;

const iconOf = { Records: '', Docs: 'book-open' };

export function Page({ pages }) {
  const [query, type] = useState('');
  const [at, point] = useState(0);
  const field = useRef(null);
  const { found, busy } = useDocs(query);
  const groups = [
    ['Records', records(query)],
    ['Pages', matching(pagesOf(pages), query).slice(0, query ? 6 : pages.length)],
    ['Actions', matching(actions(), query)],
    ['Docs', found],
  ].filter(([, items]) => items.length);
  const all = groups.flatMap(([, items]) => items);
  const chosen = Math.min(at, all.length - 1);

  useLayoutEffect(() => {
    const before = document.activeElement;
    field.current.focus();
    return () => before?.focus?.({ preventScroll: true });
  }, []);
  useLayoutEffect(() => {
    document.getElementById(`find-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen, query]);

  const close = () => {
    finding.value = false;
  };
  const keys = {
    ArrowDown: () => point((chosen + 1) % all.length),
    ArrowUp: () => point((chosen - 1 + all.length) % all.length),
    PageDown: () => point(Math.min(all.length - 1, chosen + 6)),
    PageUp: () => point(Math.max(0, chosen - 6)),
    Enter: () => all[chosen] && take(all[chosen]),
    Escape: close,
    Tab: () => {}, // there is nowhere else to go
  };
  const press = e => {
    if (!keys[e.key]) return;
    e.preventDefault();
    e.stopPropagation();
    if (all.length || e.key === 'Escape') keys[e.key]();
  };
  let n = 0;
  return html`
    <div class="veil find-veil" onClick=${close}>
      <div
        class="dialog finder"
        role="dialog"
        aria-modal="true"
        aria-label="Find"
        onClick=${e => e.stopPropagation()}
        onKeyDown=${press}
      >
        <label class="finder-q">
          <${Icon} name="search" size=${16} />
          <span class="vh">Find records, pages, docs and actions</span>
          <input
            ref=${field}
            role="combobox"
            aria-expanded="true"
            aria-controls="found"
            aria-autocomplete="list"
            aria-activedescendant=${all.length ? `find-${chosen}` : undefined}
            autocomplete="off"
            autocapitalize="off"
            spellcheck="false"
            placeholder="SO-1013, webhooks, advance a day, retries…"
            value=${query}
            onInput=${e => {
              type(e.target.value);
              point(0);
            }}
          />
          <button class="btn small" tabindex="-1" onClick=${close}>Esc<span class="vh">, close</span></button>
        </label>
        <div class="finder-l" id="found" role="listbox" aria-label="Found">
          ${groups.map(
            ([name, items]) => html`
              <ul role="group" aria-label=${name} key=${name}>
                <li role="presentation" class="finder-g">${name}</li>
                ${items.map(item => {
                  const i = n++;
                  const shown = { icon: iconOf[name], ...item };
                  return html`
                    <${Option}
                      item=${shown}
                      id=${`find-${i}`}
                      chosen=${i === chosen}
                      choose=${() => i === chosen || point(i)}
                    />
                  `;
                })}
              </ul>
            `,
          )}
        </div>
        ${
          all.length
            ? null
            : html`
              <p class="finder-none">
                ${busy ? 'Searching the docs…' : 'Nothing is called that. An id or a number opens its record.'}
              </p>
            `
        }
        <p class="finder-f" aria-hidden="true">
          <span><kbd>↑</kbd> <kbd>↓</kbd> choose</span>
          <span><kbd>Enter</kbd> open</span>
          <span><kbd>Esc</kbd> close</span>
        </p>
        <p class="vh" role="status">${query && !busy ? `${all.length} found` : ''}</p>
      </div>
    </div>
  `;
}
