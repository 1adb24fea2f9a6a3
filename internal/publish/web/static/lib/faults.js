// Injected faults: the plan, the kinds to inject, and those that happened.
import { anyKey } from './session.js';
import { call } from './api.js';
import { number, words } from './format.js';

// kinds are the faults that can be injected, as the document has them: to ask for them would be
// a request of a client.
const told = {};
const tell = id => {
  told[id] ??= JSON.parse(document.getElementById(id).textContent);
  return told[id];
};
export const kinds = () => tell('fault-kinds');
export const kindOf = name => kinds().find(k => k.kind === name);

// operations are those that faults can be injected into, in groups.
export function operations() {
  const [writes, reads] = tell('fault-operations');
  return [
    ['Writes', writes],
    ['Reads', reads],
  ];
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

// targetOf names the requests or deliveries that a fault waits for.
export const targetOf = kind => (kind?.webhook ? 'delivery' : kind?.writes ? 'write' : 'request');

// forms name how a lost request or response looks.
export const forms = { error: '502', cut: 'closed connection' };

// pendingOf are lines of what was injected and has not happened yet.
export const pendingOf = faults =>
  (faults?.pending ?? []).map(({ kind, count, operations, form }) => {
    const of = operations.length ? operations.map(words).join(' or ') : targetOf(kindOf(kind));
    return [
      form ? `${words(kind)} (${forms[form] ?? form})` : words(kind),
      count === 1 ? `for the next ${of}` : `for the next ${of}, ${number(count)} times`,
    ];
  });

// inject injects a fault into the next requests of an operation, or without one into those that can meet it, in a form
// or in either.
export const inject = (kind, count, operation, form) =>
  call('/v1/sandbox/faults', {
    method: 'POST',
    key: anyKey(),
    body: { kind, count, ...(operation && { operations: [operation] }), ...(form && { form }) },
  });

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
