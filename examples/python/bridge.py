#!/usr/bin/env python3
"""The reference integration of Platen in Python, with the standard library alone.

In a sandbox with the manual bridge this program carries records between Head
Office and the Factory: it follows the event feed and does by API calls what the
auto bridge would have done by itself.

    PLATEN_OFFICE_KEY=lab_off_... PLATEN_FACTORY_KEY=lab_fac_... python3 bridge.py

It may be stopped, killed and started again at any moment. What it carries for an
event is sent with an idempotency key made of the event's id, and the number of
the last event it has dealt with is written to a file after that, so nothing is
left out and nothing is done twice.

Exit status: 0 all carried, or stopped by a signal; 1 something was refused for
good and needs a person, the rest has been carried; 2 the settings cannot work;
3 the server cannot be reached or has no room, start it again; 4 the sandbox has
ended, or its keys are not valid.
"""

import argparse
import datetime
import http.client
import json
import os
import random
import signal
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

DONE, REFUSED, USAGE, LATER, OVER = range(5)

ATTEMPT_TIMEOUT_S = 30
MOST_WAIT_S = 25
MOST_ATTEMPTS = 6
MOST_ELAPSED_S = 60
MOST_PER_PAGE = 100
MOST_BEGINNINGS = 5

# The minute at which the gate closes on a Friday. The API takes hours from noon
# on; after this minute nothing can change them.
LAST_MINUTE = "15:59"
# What a day of illness or leave counts.
HOURS_PER_DAY = 8


class SettingsError(Exception):
    """Only other settings can mend this."""


class NeedsPerson(Exception):
    """This cannot be carried, now or later."""


class NoAnswer(Exception):
    """The server could not be reached, or something in between answered."""


class NotShown(NoAnswer):
    """A read does not show yet what the feed tells of: the feed is never behind,
    other reads may be for a while."""


class Refusal(Exception):
    """The server refused. Programs look at the code, never at the text."""

    def __init__(self, what, status, error):
        super().__init__(f"{what}: {status} {error['code']}: {error['message']} {error.get('hint', '')}")
        self.status = status
        self.code = error["code"]
        self.retryable = error["retryable"]
        self.details = error.get("details") or {}

    def passes(self):
        """Whether it ends by itself, when something else has changed."""
        return self.retryable or self.status == 429 or self.status >= 500 or self.code == "too_many_open"

    def ends_all(self):
        """Whether the sandbox is over, or the keys are not good for it."""
        return self.status in (401, 403, 423)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The API never redirects, and a key is for its own server only."""

    def redirect_request(self, *_):
        return None


class Api:
    """Calls one server, with the key that a path wants, as often as it takes."""

    def __init__(self, url, keys):
        self.url = url.rstrip("/")
        self.keys = keys
        self.opener = urllib.request.build_opener(NoRedirect)
        self.replayed = False  # whether the last answer is that of an earlier try

    def get(self, path, system="office", **parameters):
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        return self.call("GET", path + query, system)

    def named(self, path, system="office"):
        """Reads a record that the feed has named."""
        try:
            return self.get(path, system)["data"]
        except Refusal as refusal:
            if refusal.code == "not_found":
                raise NotShown(f"{path} is not shown yet") from None
            raise

    def rows(self, path, system="office", **parameters):
        """Reads a whole list. One whose cursor the server has forgotten is begun
        anew."""
        for beginning in range(MOST_BEGINNINGS):
            try:
                rows, place = [], {}
                while True:
                    page = self.get(path, system, limit=MOST_PER_PAGE, **parameters, **place)["data"]
                    rows += page["items"]
                    if page["next_cursor"] is None:
                        return rows
                    place = {"cursor": page["next_cursor"]}
            except Refusal as refusal:
                if refusal.code != "invalid_cursor" or beginning == MOST_BEGINNINGS - 1:
                    raise

    def post(self, path, system, idempotency_key, body):
        return self.call("POST", path, system, idempotency_key, json.dumps(body).encode())["data"]

    def call(self, method, path, system, idempotency_key=None, body=None):
        """Sends a request until it is answered for good: after 429, 503, any
        error called retryable and a broken line it is sent again, with the same
        idempotency key, when the server says so. Conflicts (409) are left to
        the caller: they tell of the company, not of the line."""
        began = time.monotonic()
        for attempt in range(1, MOST_ATTEMPTS + 1):
            try:
                return self.attempt(method, path, system, idempotency_key, body)
            except Refusal as refusal:
                conflict = refusal.status == 409 and refusal.code != "request_in_progress"
                if conflict or not (refusal.retryable or refusal.status in (429, 503)):
                    raise
                failed, wait = refusal, refusal.wait_s
            except NoAnswer as no_answer:
                failed, wait = no_answer, 0
            if wait <= 0:  # at random, so that programs that failed together come back one by one
                wait = random.uniform(0, min(8, 0.25 * 2 ** (attempt - 1)))
            if attempt == MOST_ATTEMPTS or time.monotonic() - began + wait > MOST_ELAPSED_S:
                raise failed
            time.sleep(wait)

    def attempt(self, method, path, system, idempotency_key, body):
        request = urllib.request.Request(self.url + path, data=body, method=method)
        request.add_header("Accept", "application/json")
        request.add_header("User-Agent", "platen-bridge-python")
        request.add_header("Authorization", "Bearer " + self.keys[system])
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.add_header("Idempotency-Key", idempotency_key)
        what = f"{method} {path.split('?')[0]}"
        try:
            with self.opener.open(request, timeout=ATTEMPT_TIMEOUT_S) as response:
                self.replayed = response.headers.get("Idempotency-Replayed") == "true"
                return json.loads(response.read())
        except urllib.error.HTTPError as answer:
            raise self.refusal(what, answer) from None
        except (OSError, http.client.HTTPException, ValueError) as failed:
            raise NoAnswer(f"{what}: {failed}") from None

    def refusal(self, what, answer):
        try:
            envelope = json.loads(answer.read())
            refusal = Refusal(what, answer.code, envelope["error"])
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            return NoAnswer(f"{what}: {answer.code} from something that is not the API")
        refusal.wait_s = wait_s(answer.headers, envelope)
        return refusal


def wait_s(headers, envelope):
    """How long the server asks to wait: Retry-After or the time to retry_at,
    whichever is longer. Moments are compared with the server's own clock."""
    after = headers.get("Retry-After", "")
    wait = float(after) if after.isdigit() else 0.0
    retry_at = envelope["error"].get("retry_at")
    if retry_at and envelope["meta"].get("server_time"):
        wait = max(wait, (moment(retry_at) - moment(envelope["meta"]["server_time"])).total_seconds())
    return wait


def date(text):
    return datetime.date.fromisoformat(text)


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class Checkpoint:
    """What the program knows when it is started again: how far the feed has been
    dealt with (seq), and the first week whose hours have not been carried."""

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

    def __init__(self, api, checkpoint, wait=0):
        self.api = api
        self.checkpoint = checkpoint
        self.wait = wait  # seconds
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
        """Looks before anything is carried: both keys must be of one sandbox,
        nobody else may be carrying, and the state file must be its own."""
        sandbox = self.api.get("/sandbox", "office")["data"]
        other = self.api.get("/sandbox", "factory")["data"]["sandbox_id"]
        own = sandbox["sandbox_id"]
        known = self.checkpoint.sandbox_id
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
        """Deals with every event there is, in the order of the feed, and then
        with the weeks that are over."""
        before = dict(self.counts)
        while True:
            page = self.next()
            for event in page["data"]["items"]:
                self.deal(event)
            if page["data"]["next_cursor"] is None:
                break
        self.pass_(page["data"]["last_seq"])  # events of other types need not be looked at again
        self.carry_weeks(page["meta"]["sim_date"])
        now = {name: count - before[name] for name, count in self.counts.items()}
        if any(now.values()):
            say(f"caught up at event {self.checkpoint.seq}: " + ", ".join(f"{n} {name}" for name, n in now.items()))

    def next(self):
        """Reads the events after the checkpoint that mean work, and waits for
        them on the server if it is told to."""
        parameters = {"after_seq": self.checkpoint.seq, "types": ",".join(self.hand_offs), "limit": MOST_PER_PAGE}
        if self.wait:
            return self.api.get("/events/poll", wait_s=self.wait, **parameters)
        return self.api.get("/events", **parameters)

    def pass_(self, seq):
        """Writes down that the feed has been dealt with up to an event: after
        the effects, never before."""
        if seq != self.checkpoint.seq:
            self.checkpoint.seq = seq
            self.checkpoint.save()

    def deal(self, event):
        """Carries what an event calls for and passes it. What is refused for
        good is reported and passed too, since it would be refused for ever and
        hold up all the rest."""
        # The same event always leads to the same request, and has a key for it.
        # If the last try succeeded and its response was lost, this one gets the stored response.
        hand_off = self.hand_offs[event["type"]]
        self.report(f"event {event['seq']}, {event['type']}", lambda: hand_off(event["data"], "bridge-" + event["id"]))
        self.pass_(event["seq"])

    def report(self, what, act):
        try:
            text = ": " + act()
            outcome = "carried"
            if self.api.replayed:
                outcome, text = "done before", ""
        except NeedsPerson as problem:
            outcome, text = "refused", f": {problem}"
        except Refusal as refusal:
            if done_before(refusal):
                outcome, text = "done before", ""
            elif refusal.passes() or refusal.ends_all():
                raise
            else:
                outcome, text = "refused", f": {refusal}"
        self.counts[outcome] += 1
        say(f"{outcome}: {what}{text}")

    # The hand-offs. What the two systems have in common is printed on paper, or
    # written by us into a reference.

    def order_goods(self, order, key):
        return self.order_work(order, order["due_date"], key)

    def order_lot(self, accepted, key):
        # The event does not say what the lot is for.
        lot = self.api.named("/office/contract-lots/" + accepted["id"])
        return self.order_work(lot, lot["deliver_by"], key)

    def order_work(self, sold, due_date, key):
        """Asks the Factory for what a customer was promised. The reference is
        what will stand on the parcel: by it the customer recognises the goods,
        and bill finds what to bill."""
        work = self.api.post("/factory/work-orders", "factory", key, {
            "sku": sold["sku"], "quantity": sold["quantity"], "reference": sold["id"], "due_date": due_date,
        })
        return f"{sold['number']} is work order {work['number']}"

    def bill(self, parcel, key):
        """Tells Head Office that the goods of an order or a lot have left, so
        that it bills them."""
        reference = parcel["reference"]
        if reference.startswith("so_"):
            sold = {"sales_order_id": reference}
        elif reference.startswith("lot_"):
            sold = {"contract_lot_id": reference}
        else:
            raise NeedsPerson(
                f'{parcel["number"]} went to "{reference}", which is the id of no order and no lot, so nobody can be billed'
            )
        shipment = self.api.post("/office/shipments", "office", key, {**sold, "factory_shipment_ref": parcel["id"]})
        return f"{parcel['number']} is billed as {shipment['invoice']['number']}"

    def file_requisition(self, wanted, key):
        """Tells Head Office what the Factory runs short of."""
        filed = self.api.post("/office/requisitions", "office", key, {
            "lines": [{"sku": wanted["sku"], "quantity": wanted["quantity"]}],
            "reference": wanted["id"], "needed_by": wanted["needed_by"],
        })
        return f"{wanted['number']} is requisition {filed['number']}"

    def record_receipt(self, counted, key):
        """Tells Head Office what the Factory took off a truck: what the
        supplier's bill is compared with."""
        order_id = self.purchase_order(counted["purchase_order_number"])
        # The event has the sums, the record each material.
        receipt = self.api.named("/factory/goods-receipts/" + counted["id"], "factory")
        members = ("sku", "quantity_accepted", "quantity_rejected")
        recorded = self.api.post("/office/goods-receipts", "office", key, {
            "purchase_order_id": order_id, "reference": receipt["id"],
            "lines": [{member: line[member] for member in members} for line in receipt["lines"]],
        })
        return f"what came for {counted['purchase_order_number']} is receipt {recorded['id']}"

    def purchase_order(self, number):
        """Finds the order whose number stands on a delivery note."""
        if number not in self.purchase_orders:
            orders = self.api.rows("/office/purchase-orders")
            self.purchase_orders.update((order["number"], order["id"]) for order in orders)
        if number not in self.purchase_orders:  # a truck came for it, so there is one
            raise NotShown(f"the purchase order {number} is not shown yet")
        return self.purchase_orders[number]

    # The hand-off that no event asks for.

    def carry_weeks(self, today):
        """When a week is over, its attendance at the Factory's gate becomes the
        timesheet by which Head Office pays."""
        if not self.checkpoint.week:  # begin with the week of the company's first event
            events = self.api.get("/events", limit=1)["data"]["items"]
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
        clock = self.api.get("/sandbox")["data"]["clock"]
        return date(clock["sim_date"]) > friday or clock["sim_time"] >= LAST_MINUTE

    def record_hours(self, monday):
        """Adds up the attendance of a week by badge, which is what both systems
        know people by."""
        entries = {}
        for row in self.api.rows("/factory/attendance", "factory", week_start=monday):
            badge = row["badge_no"]
            entry = entries.setdefault(badge, {"badge_no": badge, "hours_worked": 0, "hours_sick": 0, "hours_leave": 0})
            if row["absence"] == "none":
                entry["hours_worked"] += row["hours"]
            else:
                entry["hours_" + row["absence"]] += HOURS_PER_DAY
        if not entries:
            return "nobody was at work"
        # One timesheet for a week, one key for it.
        sheet = self.api.post("/office/timesheets", "office", "bridge-week-" + monday, {
            "week_start": monday, "entries": list(entries.values()),
        })
        return f"the hours of {len(entries)} people are timesheet {sheet['id']}"


def done_before(refusal):
    """Recognises the refusals that say that a record is there already: somebody
    carried it by hand, or it was there before this program."""
    if refusal.code == "invalid_state":
        # The order or the lot is not open. That is well if it has been billed;
        # one that has expired is lost.
        return refusal.details.get("status") in ("shipped", "paid", "delivered")
    # With a key that is used up, another version of this program has done it, in
    # other words: only what succeeded uses a key up.
    return refusal.code in ("duplicate_reference", "timesheet_exists", "idempotency_key_reused")


def say(text):
    print(text, flush=True)


def work(bridge, once, pause):
    """Catches up, once or again and again. A line that fails for a while ends
    only a single run: the next look begins where this one stopped."""
    while True:
        waited = bridge.wait
        try:
            bridge.catch_up()
        except (Refusal, NoAnswer) as failed:
            if once or isinstance(failed, Refusal) and failed.ends_all():
                raise
            say(f"later: {failed}")
            waited = 0
        if once:
            return
        if not waited:
            time.sleep(pause)


def read_settings(arguments):
    """Takes flags for what anybody may see, and the environment for keys: other
    users of a machine can list the arguments of a program."""
    parser = argparse.ArgumentParser(prog="bridge", description="Carry records between the two systems of a Platen company.")
    parser.add_argument("--url", default=os.environ.get("PLATEN_URL") or "http://127.0.0.1:8080/v1", help="base URL of the API")
    parser.add_argument("--state", default=os.environ.get("PLATEN_STATE") or "bridge-state.json", help="file that remembers how far the feed has been dealt with")
    parser.add_argument("--once", action="store_true", help="catch up and exit")
    parser.add_argument("--pause", type=float, default=2, help="seconds between two looks at the feed")
    parser.add_argument("--wait", type=int, default=0, help="seconds to wait for events on the server instead, up to 25")
    settings = parser.parse_args(arguments)
    settings.keys = {"office": os.environ.get("PLATEN_OFFICE_KEY", ""), "factory": os.environ.get("PLATEN_FACTORY_KEY", "")}
    if not settings.keys["office"].startswith("lab_off_") or not settings.keys["factory"].startswith("lab_fac_"):
        raise SettingsError("PLATEN_OFFICE_KEY must hold the key that begins with lab_off_, PLATEN_FACTORY_KEY the one with lab_fac_")
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
        bridge = Bridge(Api(settings.url, settings.keys), Checkpoint(settings.state), settings.wait)
        bridge.open()
        work(bridge, settings.once, settings.pause)
    except KeyboardInterrupt:  # a signal asked for the end
        return DONE
    except (SettingsError, Refusal, NoAnswer) as failed:
        print("bridge:", failed, file=sys.stderr)
        if isinstance(failed, SettingsError):
            return USAGE
        return OVER if isinstance(failed, Refusal) and failed.ends_all() else LATER
    refused = bridge.counts["refused"]
    if refused:
        print(f"bridge: some records need a person: {refused} refused, see above", file=sys.stderr)
    return REFUSED if refused else DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
