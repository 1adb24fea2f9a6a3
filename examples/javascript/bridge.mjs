#!/usr/bin/env node
/**
 * The reference integration of Platen in JavaScript, on the client in clients/javascript. The
 * tutorial builds one without it.
 *
 * In a sandbox with the manual bridge this program carries records between Head
 * Office and the Factory: it follows the event feed and does by API calls what
 * the auto bridge would have done by itself.
 *
 *     PLATEN_OFFICE_KEY=lab_off_... PLATEN_FACTORY_KEY=lab_fac_... node bridge.mjs
 *
 * It may be stopped, killed and started again at any moment. A record that it carries for
 * an event is sent with an idempotency key made of the event's id, and the number
 * of the last event it has dealt with is written to a file after that, so nothing
 * is left out and nothing is done twice.
 *
 * Exit status: 0 all carried, or stopped by a signal; 1 something was refused for
 * good and needs a person, the rest has been carried; 2 the settings cannot work;
 * 3 the server cannot be reached or has no room, start it again; 4 the sandbox has
 * ended, or its keys are not valid.
 */

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ApiError, Client, NetworkError } from '../../clients/javascript/platen.js';

const [DONE, REFUSED, USAGE, LATER, OVER] = [0, 1, 2, 3, 4];

const MOST_WAIT_S = 25;
const MOST_PER_PAGE = 100;

// The minute at which the gate closes on a Friday. The API takes hours from noon
// on; after this minute nothing can change them.
const LAST_MINUTE = '15:59';
// What a day of illness or leave counts.
const HOURS_PER_DAY = 8;

/** Only other settings can mend this. */
class SettingsError extends Error {}

/** This cannot be carried, now or later. */
class NeedsPerson extends Error {}

/** A read does not show yet what the feed tells of: the feed is never behind, other reads may be for a while. */
class NotShown extends Error {}

const isOfLine = error => error instanceof NetworkError || error instanceof NotShown;

/** Whether it ends by itself, when something else has changed. */
const passes = error =>
  isOfLine(error) || error.retryable || error.status === 429 || error.status >= 500 || error.code === 'too_many_open';

/** Whether the sandbox is over, or the keys are not good for it. */
const endsAll = error => error instanceof ApiError && [401, 403, 423].includes(error.status);

/** Reads a record that the feed has named. */
async function named(read, name) {
  try {
    return await read;
  } catch (error) {
    if (error.code === 'not_found') throw new NotShown(`${name} is not shown yet`);
    throw error;
  }
}

/**
 * What the program knows when it is started again: how far the feed has been
 * dealt with (seq), and the first week whose hours have not been carried.
 */
class Checkpoint {
  constructor(path) {
    this.path = path;
    this.state = { sandbox_id: '', seq: 0, week: '' };
    try {
      const { sandbox_id, seq, week } = JSON.parse(readFileSync(path, 'utf8'));
      if (typeof sandbox_id !== 'string' || !Number.isSafeInteger(seq) || typeof week !== 'string') throw new Error('not a state of this program');
      this.state = { sandbox_id, seq, week };
    } catch (error) {
      if (error.code !== 'ENOENT') throw new SettingsError(`state file ${path}: ${error.message}`);
    }
  }

  /** Replaces the file. A crash leaves the old one or the new one. */
  save() {
    const next = `${this.path}.${process.pid}`;
    try {
      const file = openSync(next, 'w', 0o600);
      writeSync(file, `${JSON.stringify(this.state)}\n`);
      fsyncSync(file);
      closeSync(file);
      renameSync(next, this.path);
    } catch (error) {
      throw new SettingsError(`state file ${this.path}: ${error.message}`);
    }
  }
}

/** Carries records from one system to the other. */
class Bridge {
  /** Ids of purchase orders by the number on the delivery note. */
  purchaseOrders = new Map();
  counts = { carried: 0, 'done before': 0, refused: 0 };

  /** The events that mean work, and the work. */
  handOffs = {
    'office.sales_order.accepted': (order, key) => this.orderWork(order, order.due_date, key),
    'office.contract_lot.accepted': (data, key) => this.orderLot(data, key),
    'factory.shipment.created': (data, key) => this.bill(data, key),
    'factory.requisition.created': (data, key) => this.fileRequisition(data, key),
    'factory.goods_receipt.recorded': (data, key) => this.recordReceipt(data, key),
  };

  /** Details of the newest write. */
  done = {};

  constructor(url, keys, checkpoint, wait, signal) {
    Object.assign(this, { keys, checkpoint, wait, signal, api: new Client(url, keys) });
  }

  /** The options of a write. */
  by(idempotencyKey) {
    return { idempotencyKey, signal: this.signal, call: (this.done = {}) };
  }

  /**
   * Looks before anything is carried: both keys must be of one sandbox, nobody
   * else may be carrying, and the state file must be its own.
   */
  async open() {
    const { sandbox_id: own, bridge } = await this.api.getSandbox(this);
    const { sandbox_id: other } = await this.api.with({ factory: this.keys.factory }).getSandbox(this);
    const known = this.checkpoint.state.sandbox_id;
    if (other !== own) throw new SettingsError(`the keys are of two sandboxes, ${own} and ${other}`);
    if (bridge !== 'manual') {
      throw new SettingsError(`the bridge of ${own} is ${bridge}, so it carries its records itself; create a sandbox with "bridge":"manual"`);
    }
    if (known !== '' && known !== own) {
      throw new SettingsError(`${this.checkpoint.path} is of ${known}, the keys are of ${own}; use another file`);
    }
    this.checkpoint.state.sandbox_id = own;
  }

  /**
   * Deals with every event there is, in the order of the feed, and then with
   * the weeks that are over.
   */
  async catchUp() {
    const before = { ...this.counts };
    let page;
    do {
      page = await this.next();
      for (const event of page.items) await this.deal(event);
    } while (page.next_cursor !== null);
    this.pass(page.last_seq); // events of other types need not be looked at again
    await this.carryWeeks(page.meta.sim_date);
    const now = Object.entries(this.counts).map(([name, count]) => [count - before[name], name]);
    if (now.some(([count]) => count > 0)) say(`caught up at event ${this.checkpoint.state.seq}: ${now.map((part) => part.join(' ')).join(', ')}`);
  }

  /**
   * Reads the events after the checkpoint that mean work, and waits for them on
   * the server if it is told to.
   */
  next() {
    const parameters = { after_seq: this.checkpoint.state.seq, types: Object.keys(this.handOffs), limit: MOST_PER_PAGE };
    if (this.wait > 0) return this.api.pollEvents({ ...parameters, wait_s: this.wait }, this);
    return this.api.listEvents(parameters, this);
  }

  /**
   * Writes down that the feed has been dealt with up to an event: after the
   * effects, never before.
   */
  pass(seq) {
    if (seq === this.checkpoint.state.seq) return;
    this.checkpoint.state.seq = seq;
    this.checkpoint.save();
  }

  /**
   * Carries what an event calls for and passes it. What is refused for good is
   * reported and passed too, since it would be refused for ever and hold up all
   * the rest.
   */
  async deal(event) {
    // The same event always leads to the same request, and has a key for it. If
    // the last try succeeded and its response was lost, this one gets the stored response.
    await this.report(`event ${event.seq}, ${event.type}`, () => this.handOffs[event.type](event.data, `bridge-${event.id}`));
    this.pass(event.seq);
  }

  async report(what, act) {
    let outcome = 'done before';
    let text = '';
    try {
      const done = await act();
      if (!this.done.replayed) [outcome, text] = ['carried', `: ${done}`];
    } catch (error) {
      const forGood = error instanceof NeedsPerson || (error instanceof ApiError && !passes(error) && !endsAll(error));
      if (!(error instanceof ApiError && doneBefore(error))) {
        if (!forGood) throw error;
        [outcome, text] = ['refused', `: ${error.message}`];
      }
    }
    this.counts[outcome]++;
    say(`${outcome}: ${what}${text}`);
  }

  // The hand-offs. What the two systems have in common is printed on paper, or
  // written by us into a reference.

  /** A lot is ordered like an order, but its event does not say what it is for. */
  async orderLot(accepted, key) {
    const lot = await named(this.api.getContractLot(accepted.id, this), accepted.id);
    return this.orderWork(lot, lot.deliver_by, key);
  }

  /**
   * Asks the Factory for what a customer was promised. The reference will
   * be on the parcel: by it the customer recognises the goods, and bill finds
   * what to bill.
   */
  async orderWork(sold, dueDate, key) {
    const { id: reference, sku, quantity } = sold;
    const work = await this.api.createWorkOrder({ sku, quantity, reference, due_date: dueDate }, this.by(key));
    return `${sold.number} is work order ${work.number}`;
  }

  /**
   * Tells Head Office that the goods of an order, of a part of one or of a lot
   * have left, so that it bills them.
   */
  async bill({ id, number, reference, quantity, final }, key) {
    const sold = {};
    if (reference.startsWith('so_')) Object.assign(sold, { sales_order_id: reference, quantity, final });
    else if (reference.startsWith('lot_')) sold.contract_lot_id = reference;
    else throw new NeedsPerson(`${number} went to "${reference}", which is the id of no order and no lot, so nobody can be billed`);
    const shipment = await this.api.createOfficeShipment({ ...sold, factory_shipment_ref: id }, this.by(key));
    return `${number} is billed as ${shipment.invoice.number}`;
  }

  /** Tells Head Office what the Factory runs short of. */
  async fileRequisition(wanted, key) {
    const { id: reference, sku, quantity, needed_by } = wanted;
    const filed = await this.api.createRequisition({ lines: [{ sku, quantity }], reference, needed_by }, this.by(key));
    return `${wanted.number} is requisition ${filed.number}`;
  }

  /**
   * Tells Head Office what the Factory took off a truck: what the supplier's
   * bill is compared with.
   */
  async recordReceipt(counted, key) {
    const orderId = await this.purchaseOrder(counted.purchase_order_number);
    // The event has the sums, the record each material.
    const receipt = await named(this.api.getFactoryGoodsReceipt(counted.id, this), counted.id);
    const lines = receipt.lines.map(({ sku, quantity_accepted, quantity_rejected }) => ({ sku, quantity_accepted, quantity_rejected }));
    const body = { purchase_order_id: orderId, reference: receipt.id, lines };
    const recorded = await this.api.createOfficeGoodsReceipt(body, this.by(key));
    return `what came for ${counted.purchase_order_number} is receipt ${recorded.id}`;
  }

  /** Finds the order whose number stands on a delivery note. */
  async purchaseOrder(number) {
    if (!this.purchaseOrders.has(number)) {
      for await (const order of this.api.purchaseOrders({}, this)) this.purchaseOrders.set(order.number, order.id);
    }
    // A truck came for it, so there is one.
    if (!this.purchaseOrders.has(number)) throw new NotShown(`the purchase order ${number} is not shown yet`);
    return this.purchaseOrders.get(number);
  }

  // The hand-off that no event asks for.

  /**
   * When a week is over, its attendance at the Factory's gate becomes the
   * timesheet by which Head Office pays.
   */
  async carryWeeks(today) {
    if (this.checkpoint.state.week === '') {
      // Begin with the week of the company's first event.
      const [first] = (await this.api.listEvents({ limit: 1 }, this)).items;
      if (first === undefined) return; // one system is away, and the feed shows nothing
      const sinceMonday = (new Date(first.sim_date).getUTCDay() + 6) % 7;
      this.carriedUntil(after(first.sim_date, -sinceMonday));
    }
    while (await this.weekIsOver(today)) {
      const monday = this.checkpoint.state.week;
      await this.report(`the week of ${monday}`, () => this.recordHours(monday));
      this.carriedUntil(after(monday, 7));
    }
  }

  carriedUntil(monday) {
    this.checkpoint.state.week = monday;
    this.checkpoint.save();
  }

  async weekIsOver(today) {
    const friday = after(this.checkpoint.state.week, 4);
    if (today !== friday) return today > friday;
    const { clock } = await this.api.getSandbox(this);
    return clock.sim_date > friday || clock.sim_time >= LAST_MINUTE;
  }

  /**
   * Adds up the attendance of a week by badge, which both systems know
   * people by.
   */
  async recordHours(monday) {
    const entries = new Map();
    for await (const { badge_no, absence, hours } of this.api.attendance({ week_start: monday }, this)) {
      if (!entries.has(badge_no)) entries.set(badge_no, { badge_no, hours_worked: 0, hours_sick: 0, hours_leave: 0 });
      if (absence === 'none') entries.get(badge_no).hours_worked += hours;
      else entries.get(badge_no)[`hours_${absence}`] += HOURS_PER_DAY;
    }
    this.done = {};
    if (entries.size === 0) return 'nobody was at work';
    // One timesheet for a week, one key for it.
    const body = { week_start: monday, entries: [...entries.values()] };
    const sheet = await this.api.createTimesheet(body, this.by(`bridge-week-${monday}`));
    return `the hours of ${entries.size} people are timesheet ${sheet.id}`;
  }
}

/**
 * Recognises the refusals that say that a record is there already: somebody
 * carried it by hand, or it was there before this program.
 */
function doneBefore(refusal) {
  // The order or the lot is not open. That is well if it has been billed; one
  // that has expired is lost.
  if (refusal.code === 'invalid_state') return ['shipped', 'paid', 'delivered'].includes(refusal.details?.status);
  // With a key that is used up, another version of this program has done it, in
  // other words: only what succeeded uses a key up.
  return ['duplicate_reference', 'timesheet_exists', 'idempotency_key_reused'].includes(refusal.code);
}

/** The day so many days after another. */
function after(day, days) {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * Catches up, once or again and again. A line that fails for a while ends only a
 * single run: the next look begins where this one stopped.
 */
async function work(bridge, { once, pauseMs }, stop) {
  for (;;) {
    let waited = bridge.wait > 0;
    try {
      await bridge.catchUp();
    } catch (error) {
      const passing = isOfLine(error) || (error instanceof ApiError && !endsAll(error));
      if (once || stop.aborted || !passing) throw error;
      say(`later: ${error.message}`);
      waited = false;
    }
    if (once) return;
    if (!waited) await sleep(pauseMs, undefined, { signal: stop });
  }
}

const HELP = `usage: node bridge.mjs [--once] [--url URL] [--state FILE] [--pause SECONDS] [--wait SECONDS]

Carry records between the two systems of a Platen company.

  --once            catch up and exit
  --url URL         base URL of the API (PLATEN_URL, or http://127.0.0.1:8080/v1)
  --state FILE      file that remembers how far the feed has been dealt with
  --pause SECONDS   time between two looks at the feed (2)
  --wait SECONDS    wait for events on the server instead, up to 25 seconds (0)
`;

/**
 * Takes flags for what anybody may see, and the environment for keys: other
 * users of a machine can list the arguments of a program.
 */
function readSettings(args) {
  const string = (value) => ({ type: 'string', default: value });
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: {
        help: { type: 'boolean', short: 'h' }, once: { type: 'boolean' },
        url: string(process.env.PLATEN_URL || 'http://127.0.0.1:8080/v1'), state: string(process.env.PLATEN_STATE || 'bridge-state.json'), pause: string('2'), wait: string('0'),
      },
    }));
  } catch (error) {
    throw new SettingsError(error.message);
  }
  const keys = { office: process.env.PLATEN_OFFICE_KEY ?? '', factory: process.env.PLATEN_FACTORY_KEY ?? '' };
  const settings = { ...values, keys, pauseMs: Number(values.pause) * 1000, wait: Number(values.wait) };
  if (settings.help) return settings;
  if (!keys.office.startsWith('lab_off_') || !keys.factory.startsWith('lab_fac_')) {
    throw new SettingsError('PLATEN_OFFICE_KEY must hold the key that begins with lab_off_, PLATEN_FACTORY_KEY the one with lab_fac_');
  }
  if (!(settings.pauseMs > 0)) throw new SettingsError('--pause must be above zero');
  if (!(Number.isInteger(settings.wait) && settings.wait >= 0 && settings.wait <= MOST_WAIT_S) || (settings.once && settings.wait)) {
    throw new SettingsError(`--wait must be 0 to ${MOST_WAIT_S}, and --once waits for nothing`);
  }
  return settings;
}

async function main(args) {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stopping.abort());
  let bridge;
  try {
    const settings = readSettings(args);
    if (settings.help) {
      process.stdout.write(HELP);
      return DONE;
    }
    bridge = new Bridge(settings.url, settings.keys, new Checkpoint(settings.state), settings.wait, stopping.signal);
    await bridge.open();
    await work(bridge, settings, stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) return DONE; // a signal asked for the end
    if (!(error instanceof SettingsError || error instanceof ApiError || isOfLine(error))) throw error;
    process.stderr.write(`bridge: ${error.message}\n`);
    if (error instanceof SettingsError) return USAGE;
    return endsAll(error) ? OVER : LATER;
  }
  const { refused } = bridge.counts;
  if (refused > 0) process.stderr.write(`bridge: some records need a person: ${refused} refused, see above\n`);
  return refused > 0 ? REFUSED : DONE;
}

process.exitCode = await main(process.argv.slice(2));
