// What needs somebody, in words, and the requests that mend it.
import { call } from './api.js';
import { keyFor } from './session.js';
import { roundMoney, sentence, words } from './format.js';

// systemOf is the system whose key a path wants; what is shared takes either.
export const systemOf = path => /^\/(office|factory)\//.exec(path)?.[1] ?? 'shared';

// recordsOf are the records of an item, with the pages that show them, and how many there are
// beyond them.
export const recordsOf = item => ({
  records: item.records.map(r => ({
    id: r.id,
    system: r.system,
    name: r.number || `${words(r.resource)} ${r.id}`,
    href: r.resource === 'webhook' ? `/console/webhooks/${r.id}` : `/console${r.path}`,
  })),
  more: item.record_count - item.records.length,
});

// costText is what an item costs, '' for what has no price.
export const costText = item => (item.cost_minor > 0 ? roundMoney(item.cost_minor) : '');

// names are what the commands do, on a button.
const names = {
  accept_sales_order: 'Accept it',
  decline_sales_order: 'Decline it',
  start_print_run: 'Start the run',
  create_factory_shipment: 'Ship it',
  create_factory_goods_receipt: 'Count it in',
  create_purchase_order: 'Order it',
  approve_purchase_order: 'Approve it',
  pay_supplier_invoice: 'Pay it',
  run_payroll: 'Pay the wages',
  hire_employee: 'Hire',
  test_webhook: 'Send a test',
  update_webhook: 'Enable it',
};
export const nameOf = command => names[command.operation] ?? sentence(command.operation);

// curlOf is the whole request of a command, for a terminal.
export function curlOf(command, origin = location.origin) {
  const variable = systemOf(command.path) === 'factory' ? '$PLATEN_FACTORY_KEY' : '$PLATEN_OFFICE_KEY';
  const body = JSON.stringify(command.body).replaceAll("'", `'\\''`);
  return [
    `curl -s -X ${command.method} ${origin}/v1${command.path}`,
    `-H "Authorization: Bearer ${variable}"`,
    `-H "Idempotency-Key: $(date +%s%N)" -H "Content-Type: application/json"`,
    `-d '${body}'`,
  ].join(' \\\n  ');
}

// canSend reports whether this tab has the key that a command wants.
export const canSend = command => !!keyFor(systemOf(command.path));

// send sends a command as it was proposed.
export const send = command =>
  call(`/v1${command.path}`, { key: keyFor(systemOf(command.path)), method: command.method, body: command.body });
