// The page of checkpoints and forks, and the card that ends a sandbox.
import { useEffect, useRef, useState } from '../vendor/preact.js';
import { html, Icon, say } from '../lib/html.js';
import { session, anyKey, madeOf, nextOf, parentOf, reviewing } from '../lib/session.js';
import { go } from '../lib/navigate.js';
import { call, Refusal } from '../lib/api.js';
import { day, number } from '../lib/format.js';
import * as store from '../lib/store.js';
import * as forks from '../lib/forks.js';
import { Empty, Problem, Skeleton } from './parts.js';

const most = 100;
const first = 'start';

// useWork does one thing at a time, and keeps what it was refused with.
export function useWork() {
  const [refusal, refuse] = useState(null);
  const work = async (name, act) => {
    if (forks.working.value) return;
    forks.working.value = name;
    refuse(null);
    try {
      await act();
    } catch (e) {
      refuse(e instanceof Refusal ? e : new Refusal(0));
    } finally {
      forks.working.value = '';
    }
  };
  return { refusal, refuse, work };
}

// arrive says that the tab is in another sandbox, also to who does not see it.
function arrive(page, text) {
  go(page);
  say(text);
  document.getElementById('main')?.focus();
  scrollTo(0, 0);
}
const showKeys = () => arrive('/console/keys', 'This tab is in the fork now');
const showSession = () => arrive('/console/session', `This tab is in ${session.value.sandbox_id} now`);

const Proving = () =>
  forks.proof.value
    ? html`
      <p class="dim" role="status">
        This server requires a proof of work. <span class="num">${number(forks.proof.value.tried)}</span> tried…
      </p>
    `
    : null;

// Compared says why there is no way to fork, or to do what else changes the odds.
export const Compared = ({ id = 'compared', children }) => html`
  <p class="dim" id=${id}>
    This sandbox compares players, so ${children}:${' '}
    <a href="/docs/errors/not_in_evaluation"><code>not_in_evaluation</code></a>.
  </p>
`;

// Fork makes a fork of one point. What is behind its name is for who only hears it.
const Fork = ({ id, point, of, work, primary, text = 'Fork' }) => html`
  <button
    class=${`btn small ${primary ? 'primary' : ''}`}
    id=${id}
    disabled=${!!forks.working.value || store.readOnly.value === 'gone'}
    onClick=${() => work(id, () => forks.fork(point).then(showKeys))}
  >
    <${Icon} name="git-compare" size=${13} />
    ${forks.working.value === id ? 'Forking…' : text}
    <span class="vh"> ${of}</span>
  </button>
`;

// ForkHere forks the moment that a page shows, where this tab may.
export function ForkHere({ id, point, of }) {
  const { refusal, work } = useWork();
  if (reviewing() || forks.compared.value) return null;
  return html`
    <${Fork} id=${id} point=${point} of=${of} text="Fork from here" work=${work} />
    ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
    ${forks.working.value === id ? html`<${Proving} />` : null}
  `;
}

// ForkDay forks the opening of a day that has passed, which needs no checkpoint.
function ForkDay({ first, work }) {
  const today = store.present.value?.sim_date;
  const [date, set] = useState('');
  const off = !!forks.working.value || store.readOnly.value === 'gone';
  const fork = e => {
    e.preventDefault();
    work('fork-day', () => forks.fork({ sim_date: date }).then(showKeys));
  };
  return html`
    <form class="beside" id="fork-day" onSubmit=${fork}>
      <label class="field">
        <span>Fork the opening of a day</span>
        <input
          type="date"
          name="sim_date"
          required
          min=${first}
          max=${today}
          value=${date}
          onInput=${e => set(e.target.value)}
        />
      </label>
      <button class="btn" disabled=${off || !date}>
        <${Icon} name="git-compare" size=${14} />
        ${forks.working.value === 'fork-day' ? 'Forking…' : 'Fork'}
      </button>
    </form>
  `;
}

function Delete({ checkpoint: c, work }) {
  const [sure, ask] = useState(false);
  const remove = () =>
    work(`delete ${c.id}`, async () => {
      await call(`/v1/sandbox/checkpoints/${c.id}`, { method: 'DELETE', key: anyKey() });
      say('Checkpoint deleted');
      document.getElementById('checkpoints').focus();
    });
  return html`
    <button
      class="btn small danger delete"
      disabled=${!!forks.working.value || !!store.readOnly.value}
      onClick=${() => (sure ? remove() : ask(true))}
      onBlur=${() => ask(false)}
    >
      <${Icon} name="trash-2" size=${13} />
      ${sure ? 'Delete permanently' : html`<span class="vh">Delete</span>`}
      <span class="vh"> ${c.label}</span>
    </button>
  `;
}

const Row = ({ checkpoint: c, work }) => html`
  <li>
    <div class="grow">
      <b>${c.label}</b>
      <p class="dim num">${day(c.sim_date)}, ${c.sim_time}, after event ${c.seq}</p>
    </div>
    <${Fork} id=${`fork-${c.id}`} point=${{ checkpoint: c.id }} of=${`from ${c.label}`} work=${work} />
    ${c.label === first ? null : html`<${Delete} checkpoint=${c} work=${work} />`}
  </li>
`;

function NameIt({ work }) {
  const [label, set] = useState('');
  const name = e => {
    e.preventDefault();
    work('name', async () => {
      await call('/v1/sandbox/checkpoints', { method: 'POST', key: anyKey(), body: { label: label.trim() } });
      say(`Checkpoint ${label.trim()} saved`);
      set('');
    });
  };
  const over = !!store.readOnly.value;
  return html`
    <form class="beside" onSubmit=${name}>
      <label class="field">
        <span>Save this moment as ${over ? html`<em>the company is read-only</em>` : null}</span>
        <input
          name="label"
          autocomplete="off"
          maxlength="80"
          placeholder="before the rush"
          disabled=${over}
          value=${label}
          onInput=${e => set(e.target.value)}
        />
      </label>
      <button class="btn" disabled=${over || !!forks.working.value || !label.trim()}>
        <${Icon} name="plus" size=${14} />
        Add
      </button>
    </form>
  `;
}

export function Checkpoints() {
  const list = store.rows('checkpoint');
  const { refusal, work } = useWork();
  if (!store.loaded.value && store.readOnly.value === 'gone') return null;
  if (!store.loaded.value)
    return html`<section class="card pad-all"><${Skeleton} width="60%" /><${Skeleton} width="90%" /></section>`;
  if (forks.compared.value)
    return html`
      <section class="card" aria-labelledby="checkpoints">
        <div class="card-h"><h2 id="checkpoints" tabindex="-1">Checkpoints</h2></div>
        <div class="pad"><${Compared}>its checkpoints are hidden and it cannot be forked</${Compared}></div>
      </section>
    `;
  return html`
    <section class="card" aria-labelledby="checkpoints">
      <div class="card-h">
        <h2 id="checkpoints" tabindex="-1">Checkpoints</h2>
        <span class="dim num">${list.length} of ${most}</span>
        <span class="grow" />
        <${Fork} id="fork-now" text="Fork now" of="as the sandbox stands" work=${work} primary />
      </div>
      <div class="pad form">
        <p class="dim">
          A checkpoint saves this moment under a name. A fork is another sandbox that starts at a checkpoint, a day or
          an event, with the same past and its own keys. Each fork counts towards the limit on sandboxes.${' '}
          <a href="/docs/checkpoints">How to use them</a>
        </p>
        <${NameIt} work=${work} /><${ForkDay} first=${list.at(-1)?.sim_date} work=${work} />
        ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
        <${Proving} />
      </div>
      ${
        list.length
          ? html`
            <ul class="checkpoints" aria-label="Checkpoints, newest first">
              ${list.map(c => html`<${Row} key=${c.id} checkpoint=${c} work=${work} />`)}
            </ul>
          `
          : html`<${Empty} icon="layers" title="No checkpoints" />`
      }
    </section>
  `;
}

// Sure asks before something that you may not want.
export function Sure({ title, yes, kind = 'danger', no = 'Cancel', act, close, children }) {
  const dialog = useRef();
  useEffect(() => dialog.current.showModal(), []);
  const agreed = () => {
    dialog.current.close();
    act();
  };
  return html`
    <dialog class="dialog" ref=${dialog} aria-labelledby="sure" onClose=${close}>
      <div class="card-h"><h2 id="sure">${title}</h2></div>
      <div class="pad form">
        ${children}
        <div class="row-actions">
          <span class="grow" />
          <button class="btn" id="sure-no" onClick=${() => dialog.current.close()}>${no}</button>
          <button class=${`btn ${kind}`} id="sure-yes" onClick=${agreed}>${yes}</button>
        </div>
      </div>
    </dialog>
  `;
}

// Remains says that the sandbox before a beginning is still there, for as long as the tab
// could go there.
function Remains() {
  const old = forks.remains.value;
  if (!session.value.others?.some(o => o.sandbox_id === old?.id)) return null;
  return html`
    <p id="remains">The sandbox <code>${old.id}</code> could not be deleted, and is still there.</p>
    <${Problem} refusal=${old.refusal} />
  `;
}

// End has the actions that end the sandbox, with a new beginning or without.
export function End() {
  const [asked, ask] = useState('');
  const { refusal, work } = useWork();
  const off = !!forks.working.value || !store.loaded.value || store.readOnly.value === 'gone';
  const next = nextOf(session.value);
  if (forks.compared.value) return null; // it is for the grading key to end
  const close = () => ask('');
  const beginAgain = () => work('begin', () => forks.beginAgain().then(showKeys));
  const remove = () =>
    work('remove', async () => {
      if (await forks.remove()) showSession();
      else location.assign('/');
    });
  return html`
    <section class="card" aria-labelledby="end">
      <div class="card-h"><h2 id="end">Start over</h2></div>
      <div class="pad form">
        <p class="dim">
          This deletes the sandbox and creates the same company, with the same seed, on its first morning. Deleted
          sandboxes cannot be restored. It also works after the sandbox has expired.
        </p>
        <${Remains} />
        ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
        <div class="row-actions">
          <button class="btn" id="begin-again" disabled=${off} onClick=${() => ask('begin')}>
            <${Icon} name="rotate-cw" size=${14} />
            ${forks.working.value === 'begin' ? 'Starting over…' : 'Start over'}
          </button>
          <span class="grow" />
          <button class="btn danger" id="delete-sandbox" disabled=${off} onClick=${() => ask('remove')}>
            <${Icon} name="trash-2" size=${14} />
            ${forks.working.value === 'remove' ? 'Deleting…' : 'Delete sandbox'}
          </button>
        </div>
      </div>
    </section>
    ${
      asked === 'begin'
        ? html`
          <${Sure} title="Start over?" yes="Start over" act=${beginAgain} close=${close}>
            <p>
              Creates a new sandbox on the first morning, with new keys. This one is deleted permanently, with its
              events and webhooks, and its keys stop working.
            </p>
          <//>
        `
        : null
    }
    ${
      asked === 'remove'
        ? html`
          <${Sure} title="Delete this sandbox?" yes="Delete permanently" act=${remove} close=${close}>
            <p>All of its data is deleted, and its keys stop working immediately.</p>
            ${next ? html`<p>This tab then switches to <code>${next.sandbox_id}</code>.</p>` : null}
          <//>
        `
        : null
    }
  `;
}

// Origin says where a fork comes from, and leads there.
export function Origin() {
  const { refusal, work } = useWork();
  const from = session.value.forked_from;
  const parent = parentOf(session.value);
  if (!from && !refusal) return null;
  return html`
    <div class="pad form">
      ${
        from
          ? html`
            <div class="beside" id="origin">
              <p class="grow">${madeOf(session.value)}</p>
              ${
                parent
                  ? html`
                    <button
                      class="btn small"
                      id="to-parent"
                      disabled=${!!forks.working.value}
                      onClick=${() => work('visit', () => forks.visit(parent.sandbox_id).then(showSession))}
                    >
                      <${Icon} name="arrow-left" size=${13} />
                      Back to the parent
                    </button>
                  `
                  : null
              }
            </div>
          `
          : null
      }
      ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
    </div>
  `;
}

// Others are the sandboxes that this tab has left.
export function Others() {
  const { refusal, work } = useWork();
  const parent = parentOf(session.value);
  const others = (session.value.others ?? []).filter(o => o !== parent).reverse();
  if (!others.length && !refusal) return null;
  return html`
    <section class="card" aria-labelledby="others">
      <div class="card-h"><h2 id="others">Also in this tab</h2></div>
      ${refusal ? html`<div class="pad"><${Problem} refusal=${refusal} /></div>` : null}
      <ul class="checkpoints" aria-label="Other sandboxes of this tab">
        ${others.map(
          o => html`
            <li key=${o.sandbox_id}>
              <div class="grow">
                <b>${o.public_name ?? o.sandbox_id}</b>
                <p class="dim"><code>${o.sandbox_id}</code>${o.forked_from ? html`. ${madeOf(o)}` : null}</p>
              </div>
              <button
                class="btn small"
                disabled=${!!forks.working.value}
                onClick=${() => work('visit', () => forks.visit(o.sandbox_id).then(showSession))}
              >
                Switch
                <span class="vh"> ${o.sandbox_id}</span>
              </button>
            </li>
          `,
        )}
      </ul>
    </section>
  `;
}

// Forked says on the page of checkpoints that this sandbox is a fork itself.
const Forked = () =>
  session.value.forked_from
    ? html`<section class="card"><div class="card-h"><h2>This sandbox is a fork</h2></div><${Origin} /></section>`
    : null;

export const Page = () => html`
  <div class="title">
    <h1>Checkpoints</h1>
    <p>Save a moment, and try another decision from there in a fork.</p>
  </div>
  <div class="halves">
    <${Checkpoints} />
    <div class="col"><${Forked} /><${Others} /></div>
  </div>
`;
