// Injected faults: the plan, the kinds to inject, and those that happened.
import { anyKey } from './session.js';
import { call } from './api.js';
import { number, words } from './format.js';

// kinds are the faults that can be injected, as the document has them: to ask for them would be
// a request of a client.
let known;
export function kinds() {
  known ??= JSON.parse(document.getElementById('fault-kinds').textContent);
  return known;
}

// grouped are [group, kinds], without groups of none.
export const grouped = all =>
  [
    ['Requests', all.filter(k => !k.webhook)],
    ['Webhooks', all.filter(k => k.webhook)],
  ].filter(([, of]) => of.length);

// percent is a share as people write it, such as 0.5 %.
export const percent = share => `${Number((share * 100).toFixed(4))} %`;

// planOf are the name of a plan and what it does by itself, null for nothing.
export function planOf(faults) {
  if (!faults?.rules.length) return null;
  return {
    name: faults.plan ? words(faults.plan) : 'rules of its own',
    shares: faults.rules.map(rule => ({ kind: words(rule.kind), share: percent(rule.share), when: whenOf(rule) })),
  };
}

// whenOf says where and when a rule holds, '' for everywhere and always.
function whenOf({ operations, from_minute: from, to_minute: to }) {
  const minutes = to != null ? `minutes ${number(from)} to ${number(to)}` : from ? `from minute ${number(from)}` : '';
  return [operations.map(words).join(', '), minutes].filter(Boolean).join('; ');
}

const times = n => (n === 1 ? 'once' : `${number(n)} times`);

// pendingOf are lines of what was injected and has not happened yet.
export const pendingOf = faults => (faults?.pending ?? []).map(({ kind, count }) => [words(kind), times(count)]);

// inject lets something go wrong, and returns a line of what is to come.
export async function inject(kind, count) {
  const { data } = await call('/v1/sandbox/faults', { method: 'POST', key: anyKey(), body: { kind, count } });
  return `${words(data.kind)}: to happen ${times(data.count)}, as soon as it can`;
}

// countOf is a typed count, null for what is none.
export function countOf(text) {
  const n = Number(text);
  return Number.isInteger(n) && n >= 1 && n <= 100 ? n : null;
}

// struck is the target of a fault: a text and, where the console has the request or the
// delivery, a page. A request that was lost, or whose response was, is in no log.
export function struck(fault, { call: logged, delivery }) {
  if (fault.request_id)
    return {
      text: words(fault.operation ?? 'a request'),
      href: logged ? `/console/requests/${fault.request_id}` : null,
    };
  return {
    text: fault.delivery_id ? `delivery ${fault.delivery_id}` : 'a delivery',
    href: delivery ? `/console/webhooks/${delivery.webhook_id}` : null,
  };
}
