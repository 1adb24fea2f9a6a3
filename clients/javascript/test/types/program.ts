// Programs that the declarations must accept, and those that they must not: it is compiled, never run.
import {
  ApiError,
  type Call,
  type Client,
  createSandbox,
  type FeedEvent,
  isCode,
  type OfficeSalesOrder,
  verifyWebhook,
} from '../../platen.js';
import { fileCheckpoint } from '../../checkpoint.js';
import { requireExactlyOnce } from '../../fixture.js';

async function play(signal: AbortSignal): Promise<number> {
  const sandbox = await createSandbox(
    'http://127.0.0.1:8080/v1',
    { preset: 'starter', clock: 'manual' },
    { maxRetries: 3 },
  );
  const client: Client = sandbox.client;
  const call: Call = {};
  for await (const order of client.salesOrders({ status: 'received', updated_since: new Date() }, { signal })) {
    const row: OfficeSalesOrder = order;
    const total: number = row.total_minor;
    const work: string | null = row.bridged_work_order_id;
    // A status may be added by the server, so that any text compares.
    if (order.status === 'of_the_future' || total < 0 || work === '') continue;
    try {
      await client.acceptSalesOrder(order.id, { call, signal, idempotencyKey: `accept-${order.id}` });
    } catch (error) {
      if (isCode(error, 'invalid_state')) console.log(error.details.status);
      if (!(error instanceof ApiError)) throw error;
    }
  }
  const page = await client.listWorkOrders({ limit: 3 }, { ifNoneMatch: 'x' });
  const next: string | null = page.next_cursor;
  for await (const event of client.events({ checkpoint: fileCheckpoint('seq'), types: ['hr.employee.sick'], signal })) {
    if (event.type === 'office.customer_invoice.paid') return event.data.total_minor;
  }
  const event: FeedEvent = await verifyWebhook({ secret: 'whsec_', headers: new Headers(), body: '' });
  const fork = await client.forkSandbox({ checkpoint: 'start' });
  const preview = await client.previewStartPrintRun({ press_id: 'prs_digital' });

  await requireExactlyOnce(fork, { carried: 0.99, client: 0.5, minDue: 20, minHit: 3 });
  // @ts-expect-error: there is no such demand.
  await requireExactlyOnce(fork, { min_due: 20 });
  // @ts-expect-error: there is no such status.
  client.salesOrders({ status: 'receivedd' });
  // @ts-expect-error: the SKU is required.
  await client.createWorkOrder({ quantity: 3 });
  // @ts-expect-error: the id is required.
  await client.acceptSalesOrder();
  // @ts-expect-error: there is no such field.
  console.log(order.totalMinor);
  // @ts-expect-error: there is no such code.
  isCode(undefined, 'press_bussy');
  return event.seq + (next?.length ?? 0) + fork.client.baseURL.length + JSON.stringify(preview).length;
}

declare const order: OfficeSalesOrder;
export { play };
