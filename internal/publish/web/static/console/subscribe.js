// The form of a subscription: a new one, or changes of one that is there.
import { useEffect, useState } from '../vendor/preact.js';
import { html, Icon } from '../lib/html.js';
import { anyKey } from '../lib/session.js';
import { call, Refusal } from '../lib/api.js';
import * as store from '../lib/store.js';
import { Problem } from './parts.js';

// useCall sends one request at a time, and keeps why it was refused.
export function useCall() {
  const [busy, work] = useState('');
  const [refusal, refuse] = useState(null);
  const act = async (name, path, options, then) => {
    work(name);
    refuse(null);
    try {
      const { data } = await call(path, { key: anyKey(), ...options });
      then?.(data);
    } catch (e) {
      refuse(e instanceof Refusal ? e : new Refusal(0));
    }
    work('');
  };
  return { busy, refusal, act, refuse };
}

const systems = [
  ['office', 'Head Office'],
  ['factory', 'Factory'],
  ['hr', 'People'],
  ['world', 'World'],
  ['sandbox', 'Sandbox'],
];

// typesOf finds the types of events in the OpenAPI document.
const typesOf = openapi => {
  const named = /(?:office|factory|hr|world|sandbox)\.[a-z_]+\.[a-z_]+|sandbox\.(?:expiring|bankrupt)/g;
  return [...new Set(JSON.stringify(openapi).match(named))].filter(t => !t.startsWith('sandbox.webhook.')).sort();
};

// useTypes reads the types of events once.
function useTypes() {
  const [types, know] = useState([]);
  useEffect(() => {
    call('/openapi.json').then(
      ({ data }) => know(typesOf(data)),
      () => {},
    );
  }, []);
  return types;
}

// familiesOf are types and what they begin with, such as office.sales_order.* for all events of sales orders.
const familiesOf = types => [...new Set(types.map(t => t.replace(/[^.]+$/, '*')).filter(f => f.split('.').length > 2))];

// typesFor are the types that a choice names: all of a system, of a family, or one.
export const typesFor = (choice, types) => {
  if (!/^[a-z]+$|\*$/.test(choice)) return [choice];
  const begin = choice.replace(/\.?\*?$/, '.');
  const found = types.filter(t => t.startsWith(begin));
  return found.length ? found : [choice];
};

// eventsFor are the types that choices name together, * without any.
export const eventsFor = (choices, types) => {
  const all = choices.flatMap(choice => typesFor(choice, types));
  return all.length ? [...new Set(all)] : ['*'];
};

// choicesOf are the choices that name the types of a subscription: a system instead of all of its types.
export const choicesOf = (events, types) => {
  const whole = systems.map(([s]) => s).filter(s => types.length && typesFor(s, types).every(t => events.includes(t)));
  return [...whole, ...events.filter(e => e !== '*' && !whole.includes(e.split('.')[0]))];
};

// Which takes the events of a subscription: those of systems, of families and single types, and all without any.
function Which({ types, chosen, choose, typed, type }) {
  const flip = s => choose(chosen.includes(s) ? chosen.filter(c => c !== s) : [...chosen, s]);
  const add = () => {
    if (typed && !chosen.includes(typed)) choose([...chosen, typed]);
    type('');
  };
  const named = systems.map(([s]) => s);
  return html`
    <fieldset class="field plain">
      <legend>Events <em>${chosen.length ? '' : 'all'}</em></legend>
      <div class="chips">
        ${systems.map(
          ([s, name]) => html`
            <button type="button" class=${`chip ${s}`} aria-pressed=${chosen.includes(s)} onClick=${() => flip(s)}>
              ${name}
            </button>
          `,
        )}
        ${chosen
          .filter(c => !named.includes(c))
          .map(
            c => html`
              <button type="button" class="chip bare" key=${c} onClick=${() => flip(c)}>
                <code>${c}</code><${Icon} name="x" size=${12} label=${`Leave out ${c}`} />
              </button>
            `,
          )}
      </div>
    </fieldset>
    <div class="beside">
      <label class="field">
        <span>Types or families <em>optional</em></span>
        <input
          name="type"
          list="types"
          autocomplete="off"
          spellcheck="false"
          placeholder="office.sales_order.* or factory.print_run.completed"
          value=${typed}
          onInput=${e => type(e.target.value.trim())}
          onKeyDown=${e => {
            if (e.key !== 'Enter' || !typed) return;
            e.preventDefault();
            add();
          }}
        />
        <datalist id="types">${[...familiesOf(types), ...types].map(t => html`<option value=${t} />`)}</datalist>
      </label>
      <button type="button" class="btn" id="add-type" disabled=${!typed} onClick=${add}>
        <${Icon} name="plus" size=${14} />
        Add
      </button>
    </div>
  `;
}

// changeOf is the body of a PATCH: what differs from the subscription.
const changeOf = (hook, { url, events, text }) => ({
  ...(url ? { url } : {}),
  ...(`${events}` === `${hook.events}` ? {} : { events }),
  ...(text === (hook.description ?? '') ? {} : { description: text }),
});

// Form makes a subscription, or changes hook. done is called with the response.
export function Form({ hook, close, done }) {
  const types = useTypes();
  const [url, setURL] = useState('');
  const [text, describe] = useState(hook?.description ?? '');
  const [changed, choose] = useState(null);
  const chosen = changed ?? (hook ? choicesOf(hook.events, types) : []);
  const [typed, type] = useState('');
  const { busy, refusal, act } = useCall();
  const submit = e => {
    e.preventDefault();
    const events = eventsFor(typed ? [...chosen, typed] : chosen, types);
    if (hook) {
      const body = changeOf(hook, { url, events, text });
      act('change', `/v1/webhooks/${hook.id}`, { method: 'PATCH', body }, done);
    } else {
      const body = { url, events, ...(text ? { description: text } : {}) };
      act('create', '/v1/webhooks', { method: 'POST', body }, done);
    }
  };
  return html`
    <section class="card">
      <div class="card-h">
        <h2>${hook ? 'Edit webhook' : 'New webhook'}</h2>
        <span class="grow" />
        <button class="btn plain small" onClick=${close}><${Icon} name="x" size=${14} label="Close" /></button>
      </div>
      <form class="pad form" onSubmit=${submit}>
        <label class="field">
          <span>URL ${hook ? html`<em>leave empty to keep the one of ${hook.url_host}</em>` : null}</span>
          <input
            name="url"
            type="url"
            required=${!hook}
            autocomplete="off"
            spellcheck="false"
            placeholder="https://hooks.example.com/platen"
            value=${url}
            onInput=${e => setURL(e.target.value)}
          />
        </label>
        <${Which} types=${types} chosen=${chosen} choose=${choose} typed=${typed} type=${type} />
        <label class="field">
          <span>Description <em>optional</em></span>
          <input name="description" autocomplete="off" value=${text} onInput=${e => describe(e.target.value)} />
        </label>
        ${refusal ? html`<${Problem} refusal=${refusal} />` : null}
        <div class="row-actions">
          <span class="dim">
            ${
              hook
                ? 'A new URL has to be verified again. Events that wait for the old one are dropped.'
                : 'Platen sends events once your receiver responds to a test ping with 2xx.'
            }
          </span>
          <span class="grow" />
          <button class="btn primary" disabled=${busy || !!store.readOnly.value}>
            ${busy ? 'Sending…' : hook ? 'Save' : 'Create'}
          </button>
        </div>
      </form>
    </section>
  `;
}
