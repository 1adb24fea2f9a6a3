#!/usr/bin/env python3
"""The reference integration of Platen in Python, on the client in clients/python. The tutorial builds one without it.

In a sandbox with the manual bridge this program carries records between Head Office and the Factory: it follows the
event feed and does by API calls what the auto bridge would have done by itself.

    PLATEN_OFFICE_KEY=lab_off_... PLATEN_FACTORY_KEY=lab_fac_... python3 bridge.py

It may be stopped, killed and started again at any moment. What it carries for an event is sent with an idempotency key
made of the event's id, and the number of the last event it has dealt with is written to a file after that, so nothing
is left out and nothing is done twice.

Exit status: 0 all carried, or stopped by a signal; 1 something was refused for good and needs a person, the rest has
been carried; 2 the settings cannot work; 3 the server cannot be reached or has no room, start it again; 4 the sandbox
has ended, or its keys are not valid.
"""

import argparse
import datetime
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "clients" / "python"))

import platen  # noqa: E402

DONE, REFUSED, USAGE, LATER, OVER = range(5)
MOST_WAIT_S = 25
# The minute at which the gate closes on a Friday. The API takes hours from noon on; after this minute nothing can
# change them.
LAST_MINUTE = "15:59"
# What a day of illness or leave counts.
HOURS_PER_DAY = 8


class SettingsError(Exception):
    """Only other settings can mend this."""


class NeedsPerson(Exception):
    """This cannot be carried, now or later."""


class NotShown(Exception):
    """A read does not show yet what the feed tells of: the feed is never behind, other reads may be for a while."""


def passes(error):
    """Whether it ends by itself, when something else has changed."""
    return not isinstance(error, platen.ApiError) or (
        error.retryable or error.status == 429 or error.status >= 500 or error.code == "too_many_open"
    )


def ends_all(error):
    """Whether the sandbox is over, or the keys are not good for it."""
    return isinstance(error, platen.ApiError) and error.status in (401, 403, 423)


def done_before(error):
    """Recognises the refusals that say that a record is there already: somebody carried it by hand, or it was there
    before this program."""
    if error.code == "invalid_state":
        # The order or the lot is not open. That is well if it has been billed; one that has expired is lost.
        return (error.details or {}).get("status") in ("shipped", "paid", "delivered")
    # With a key that is used up, another version of this program has done it, in other words: only what succeeded
    # uses a key up.
    return error.code in ("duplicate_reference", "timesheet_exists", "idempotency_key_reused")


def named(read, name):
    """Reads a record that the feed has named."""
    try:
        return read(name)
    except platen.ApiError as error:
        if error.code == "not_found":
            raise NotShown(f"{name} is not shown yet") from None
        raise


class Checkpoint:
    """What the program knows when it is started again: how far the feed has been dealt with (seq), and the first week
    whose hours have not been carried."""

    def __init__(self, path):
        self.path = path
        self.sandbox_id, self.seq, self.week = "", 0, ""
        try:
            with open(path, encoding="utf-8") as file:
                state = json.load(file)
            self.sandbox_id, self.seq, self.week = state["sandbox_id"], int(state["seq"]), state["week"]
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError) as failed:
            raise SettingsError(f"state file {path}: {failed!r}") from None

    def save(self):
        """Replaces the file. A crash leaves the old one or the new one."""
        state = {"sandbox_id": self.sandbox_id, "seq": self.seq, "week": self.week}
        folder, name = os.path.split(os.path.abspath(self.path))
        try:
            with tempfile.NamedTemporaryFile("w", dir=folder, prefix=name + ".", delete=False) as file:
                json.dump(state, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(file.name, self.path)
        except OSError as failed:
            raise SettingsError(f"state file {self.path}: {failed}") from None


class Bridge:
    """Carries records from one system to the other."""

    def __init__(self, url, keys, checkpoint, wait=0):
        self.api, self.keys = platen.Client(url, keys), keys
        self.checkpoint = checkpoint
        self.wait = wait  # seconds
        self.call = platen.Call()  # of the newest write
        self.purchase_orders = {}  # ids by the number on the delivery note
        self.counts = {"carried": 0, "done before": 0, "refused": 0}
        # The events that mean work, and the work.
        self.hand_offs = {
            "office.sales_order.accepted": self.order_goods,
            "office.contract_lot.accepted": self.order_lot,
            "factory.shipment.created": self.bill,
            "factory.requisition.created": self.file_requisition,
            "factory.goods_receipt.recorded": self.record_receipt,
        }

    def open(self):
        """Looks before anything is carried: both keys must be of one sandbox, nobody else may be carrying, and the
        state file must be its own."""
        sandbox = self.api.get_sandbox()
        other = self.api.with_keys(platen.Keys(factory=self.keys.factory)).get_sandbox()["sandbox_id"]
        own, known = sandbox["sandbox_id"], self.checkpoint.sandbox_id
        if other != own:
            raise SettingsError(f"the keys are of two sandboxes, {own} and {other}")
        if sandbox["bridge"] != "manual":
            raise SettingsError(
                f"the bridge of {own} is {sandbox['bridge']}, so it carries its records itself; "
                'create a sandbox with "bridge":"manual"'
            )
        if known not in ("", own):
            raise SettingsError(f"{self.checkpoint.path} is of {known}, the keys are of {own}; use another file")
        self.checkpoint.sandbox_id = own

    def catch_up(self):
        """Deals with every event there is, in the order of the feed, and then with the weeks that are over."""
        before = dict(self.counts)
        while True:
            read, wait = (self.api.poll_events, {"wait_s": self.wait}) if self.wait else (self.api.list_events, {})
            page = read(after_seq=self.checkpoint.seq, types=list(self.hand_offs), limit=100, **wait)
            for event in page.items:
                # The same event always leads to the same request, and has a key for it. What is refused for good is
                # passed too: it would be refused for ever and hold up all the rest.
                self.report(f"event {event['seq']}, {event['type']}",
                            lambda: self.hand_offs[event["type"]](event["data"], "bridge-" + event["id"]))
                self.pass_(event["seq"])
            if page.next_cursor is None:
                break
        self.pass_(page.last_seq)  # events of other types need not be looked at again
        self.carry_weeks(page.meta["sim_date"])
        now = {name: count - before[name] for name, count in self.counts.items()}
        if any(now.values()):
            say(f"caught up at event {self.checkpoint.seq}: " + ", ".join(f"{n} {name}" for name, n in now.items()))

    def pass_(self, seq):
        """Writes down that the feed has been dealt with up to an event: after the effects, never before."""
        if seq != self.checkpoint.seq:
            self.checkpoint.seq = seq
            self.checkpoint.save()

    def report(self, what, act):
        outcome, text = "carried", ""
        try:
            text = ": " + act()
            if self.call.replayed:
                outcome, text = "done before", ""
        except NeedsPerson as problem:
            outcome, text = "refused", f": {problem}"
        except platen.ApiError as error:
            if done_before(error):
                outcome = "done before"
            elif passes(error) or ends_all(error):
                raise
            else:
                outcome, text = "refused", f": {error}"
        self.counts[outcome] += 1
        say(f"{outcome}: {what}{text}")

    # The hand-offs. What the two systems have in common is printed on paper, or written by us into a reference.

    def order_goods(self, order, key):
        return self.order_work(order, order["due_date"], key)

    def order_lot(self, accepted, key):
        lot = named(self.api.get_contract_lot, accepted["id"])  # the event does not say what the lot is for
        return self.order_work(lot, lot["deliver_by"], key)

    def order_work(self, sold, due_date, key):
        """Asks the Factory for what a customer was promised. The reference will be on the parcel: by it the
        customer recognises the goods, and bill finds what to bill."""
        work = self.api.create_work_order(sku=sold["sku"], quantity=sold["quantity"], reference=sold["id"],
                                          due_date=due_date, idempotency_key=key, call=self.call)
        return f"{sold['number']} is work order {work['number']}"

    def bill(self, parcel, key):
        """Tells Head Office that the goods of an order, of a part of one or of a lot have left, so that it bills them."""
        reference = parcel["reference"]
        kind = {"so": "sales_order_id", "lot": "contract_lot_id"}.get(reference.partition("_")[0])
        if kind is None:
            raise NeedsPerson(f'{parcel["number"]} went to "{reference}", which is the id of no order and no lot, so '
                              "nobody can be billed")
        part = {"quantity": parcel["quantity"], "final": parcel["final"]} if kind == "sales_order_id" else {}
        shipment = self.api.create_office_shipment(**{kind: reference}, **part, factory_shipment_ref=parcel["id"],
                                                   idempotency_key=key, call=self.call)
        return f"{parcel['number']} is billed as {shipment['invoice']['number']}"

    def file_requisition(self, wanted, key):
        """Tells Head Office what the Factory runs short of."""
        filed = self.api.create_requisition(lines=[{"sku": wanted["sku"], "quantity": wanted["quantity"]}],
                                            reference=wanted["id"], needed_by=wanted["needed_by"],
                                            idempotency_key=key, call=self.call)
        return f"{wanted['number']} is requisition {filed['number']}"

    def record_receipt(self, counted, key):
        """Tells Head Office what the Factory took off a truck: what the supplier's bill is compared with."""
        number = counted["purchase_order_number"]
        if number not in self.purchase_orders:
            self.purchase_orders.update((order["number"], order["id"]) for order in self.api.purchase_orders())
        if number not in self.purchase_orders:  # a truck came for it, so there is one
            raise NotShown(f"the purchase order {number} is not shown yet")
        # The event has the sums, the record each material.
        receipt = named(self.api.get_factory_goods_receipt, counted["id"])
        members = ("sku", "quantity_accepted", "quantity_rejected")
        recorded = self.api.create_office_goods_receipt(
            purchase_order_id=self.purchase_orders[number], reference=receipt["id"],
            lines=[{member: line[member] for member in members} for line in receipt["lines"]],
            idempotency_key=key, call=self.call,
        )
        return f"what came for {number} is receipt {recorded['id']}"

    # The hand-off that no event asks for.

    def carry_weeks(self, today):
        """When a week is over, its attendance at the Factory's gate becomes the timesheet by which Head Office pays."""
        if not self.checkpoint.week:  # begin with the week of the company's first event
            events = self.api.list_events(limit=1).items
            if not events:  # one system is away, and the feed shows nothing
                return
            first = date(events[0]["sim_date"])
            self.carried_until(first - datetime.timedelta(days=first.weekday()))
        while self.week_is_over(date(today)):
            monday = self.checkpoint.week
            self.report(f"the week of {monday}", lambda: self.record_hours(monday))
            self.carried_until(date(monday) + datetime.timedelta(days=7))

    def carried_until(self, monday):
        self.checkpoint.week = monday.isoformat()
        self.checkpoint.save()

    def week_is_over(self, today):
        friday = date(self.checkpoint.week) + datetime.timedelta(days=4)
        if today != friday:
            return today > friday
        clock = self.api.get_sandbox()["clock"]
        return date(clock["sim_date"]) > friday or clock["sim_time"] >= LAST_MINUTE

    def record_hours(self, monday):
        """Adds up the attendance of a week by badge, which is what both systems know people by."""
        entries = {}
        for row in self.api.attendance(week_start=monday):
            badge = row["badge_no"]
            entry = entries.setdefault(badge, {"badge_no": badge, "hours_worked": 0, "hours_sick": 0, "hours_leave": 0})
            if row["absence"] == "none":
                entry["hours_worked"] += row["hours"]
            else:
                entry["hours_" + row["absence"]] += HOURS_PER_DAY
        if not entries:
            self.call = platen.Call()
            return "nobody was at work"
        # One timesheet for a week, one key for it.
        sheet = self.api.create_timesheet(week_start=monday, entries=list(entries.values()),
                                          idempotency_key="bridge-week-" + monday, call=self.call)
        return f"the hours of {len(entries)} people are timesheet {sheet['id']}"


def date(text):
    return datetime.date.fromisoformat(text)


def say(text):
    print(text, flush=True)


def work(bridge, once, pause):
    """Catches up, once or again and again. A line that fails for a while ends only a single run: the next look begins
    where this one stopped."""
    while True:
        waited = bridge.wait
        try:
            bridge.catch_up()
        except (platen.PlatenError, NotShown) as failed:
            if once or ends_all(failed):
                raise
            say(f"later: {failed}")
            waited = 0
        if once:
            return
        if not waited:
            time.sleep(pause)


def read_settings(arguments):
    """Takes flags for what anybody may see, and the environment for keys: other users of a machine can list the
    arguments of a program."""
    parser = argparse.ArgumentParser(prog="bridge", description="Carry records between the two systems of a company.")
    parser.add_argument("--url", default=os.environ.get("PLATEN_URL") or "http://127.0.0.1:8080/v1",
                        help="base URL of the API")
    parser.add_argument("--state", default=os.environ.get("PLATEN_STATE") or "bridge-state.json",
                        help="file that remembers how far the feed has been dealt with")
    parser.add_argument("--once", action="store_true", help="catch up and exit")
    parser.add_argument("--pause", type=float, default=2, help="seconds between two looks at the feed")
    parser.add_argument("--wait", type=int, default=0, help="seconds to wait for events on the server instead, up to 25")
    settings = parser.parse_args(arguments)
    settings.keys = platen.Keys(os.environ.get("PLATEN_OFFICE_KEY", ""), os.environ.get("PLATEN_FACTORY_KEY", ""))
    if not settings.keys.office.startswith("lab_off_") or not settings.keys.factory.startswith("lab_fac_"):
        raise SettingsError("PLATEN_OFFICE_KEY must hold the key that begins with lab_off_, PLATEN_FACTORY_KEY the one "
                            "with lab_fac_")
    if not settings.pause > 0:
        raise SettingsError("--pause must be above zero")
    if not 0 <= settings.wait <= MOST_WAIT_S or settings.once and settings.wait:
        raise SettingsError(f"--wait must be 0 to {MOST_WAIT_S}, and --once waits for nothing")
    return settings


def main(arguments):
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    bridge = None
    try:
        settings = read_settings(arguments)
        bridge = Bridge(settings.url, settings.keys, Checkpoint(settings.state), settings.wait)
        bridge.open()
        work(bridge, settings.once, settings.pause)
    except KeyboardInterrupt:  # a signal asked for the end
        return DONE
    except (SettingsError, platen.PlatenError, NotShown) as failed:
        print("bridge:", failed, file=sys.stderr)
        return USAGE if isinstance(failed, SettingsError) else OVER if ends_all(failed) else LATER
    refused = bridge.counts["refused"]
    if refused:
        print(f"bridge: some records need a person: {refused} refused, see above", file=sys.stderr)
    return REFUSED if refused else DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
