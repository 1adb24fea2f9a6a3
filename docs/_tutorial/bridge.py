"""Carries records between Head Office and the Factory."""
import datetime  # step 7
# step 3
import json
import os
import sys  # step 7

# step 1
# until 4: from api import send
from api import Rejected, send  # step 5

# step 3
STATE = "bridge-state.json"

# step 1

def carry_order(order):
    # until 2: work = send("POST", "/factory/work-orders", "carry-" + order["id"], {
    # until 2:     "sku": order["sku"],
    # until 2:     "quantity": order["quantity"],
    # until 2:     "due_date": order["due_date"],
    # until 2:     "reference": order["id"],
    # until 2: })
    # until 2: print(order["number"], "is work order", work["number"])
    # step 3
    carry(order, order["due_date"])


def carry_lot(accepted):
    # The event does not say what the lot is for. The record does.
    lot = send("GET", "/office/contract-lots/" + accepted["id"])
    carry(lot, lot["deliver_by"])


def carry(sold, due_date):
    work = send("POST", "/factory/work-orders", "carry-" + sold["id"], {
        "sku": sold["sku"],
        "quantity": sold["quantity"],
        "due_date": due_date,
        "reference": sold["id"],
    })
    print(sold["number"], "is work order", work["number"])


# step 4
def bill(parcel):
    # The reference on the parcel is the one that we gave the work order.
    reference = parcel["reference"]
    field = "contract_lot_id" if reference.startswith("lot_") else "sales_order_id"
    shipment = send("POST", "/office/shipments", "bill-" + parcel["id"], {
        field: reference,
        "factory_shipment_ref": parcel["id"],
    })
    print(parcel["number"], "is billed as", shipment["invoice"]["number"])


# step 5
def file_requisition(wanted):
    requisition = send("POST", "/office/requisitions", "file-" + wanted["id"], {
        "lines": [{"sku": wanted["sku"], "quantity": wanted["quantity"]}],
        "needed_by": wanted["needed_by"],
        "reference": wanted["id"],
    })
    print(wanted["number"], "is requisition", requisition["number"])


# step 6
def record_receipt(counted):
    # The event has sums, the record has each material.
    receipt = send("GET", "/factory/goods-receipts/" + counted["id"])
    fields = ("sku", "quantity_accepted", "quantity_rejected")
    recorded = send("POST", "/office/goods-receipts", "receipt-" + receipt["id"], {
        "purchase_order_id": purchase_order_id(counted["purchase_order_number"]),
        "reference": receipt["id"],
        "lines": [{field: line[field] for field in fields} for line in receipt["lines"]],
    })
    print("the truck for", counted["purchase_order_number"], "is", recorded["status"])


def purchase_order_id(number):
    # A delivery note has the number, Head Office needs the id.
    for order in rows("/office/purchase-orders?limit=100"):
        if order["number"] == number:
            return order["id"]
    raise LookupError("there is no purchase order " + number)


def rows(path):
    """Reads a whole list, page by page."""
    page = send("GET", path)
    yield from page["items"]
    while page["next_cursor"] is not None:
        page = send("GET", path + "&cursor=" + page["next_cursor"])
        yield from page["items"]


# step 7
def carry_weeks(state):
    """When a week is over, carries its hours. No event asks for that."""
    if "week" not in state:
        first = send("GET", "/events?limit=1")["items"][0]
        state["week"] = monday_of(first["sim_date"])
    today = send("GET", "/sandbox")["clock"]["sim_date"]
    while state["week"] < monday_of(today):
        record_hours(state["week"])
        state["week"] = days_after(state["week"], 7)
        save(state)


def record_hours(monday):
    entries = {}
    for day in rows(f"/factory/attendance?limit=100&week_start={monday}"):
        badge = day["badge_no"]  # both systems know people by their badge
        entry = entries.setdefault(badge, {
            "badge_no": badge, "hours_worked": 0, "hours_sick": 0, "hours_leave": 0,
        })
        if day["absence"] == "none":
            entry["hours_worked"] += day["hours"]
        else:
            entry["hours_" + day["absence"]] += 8
    try:
        send("POST", "/office/timesheets", "week-" + monday, {
            "week_start": monday, "entries": list(entries.values()),
        })
    except Rejected as rejected:
        if rejected.code != "timesheet_exists":
            raise
    print("the week of", monday, "is a timesheet of", len(entries), "people")


def monday_of(day):
    return days_after(day, -datetime.date.fromisoformat(day).weekday())


def days_after(day, days):
    return str(datetime.date.fromisoformat(day) + datetime.timedelta(days=days))


# step 3
HANDLERS = {
    "office.sales_order.accepted": carry_order,
    "office.contract_lot.accepted": carry_lot,
    "factory.shipment.created": bill,  # step 4
    "factory.requisition.created": file_requisition,  # step 5
    "factory.goods_receipt.recorded": record_receipt,  # step 6
}


def load():
    try:
        with open(STATE) as file:
            return json.load(file)
    except FileNotFoundError:
        return {"seq": 0}


def save(state):
    with open(STATE + ".new", "w") as file:
        json.dump(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(STATE + ".new", STATE)  # a crash leaves the old file or the new one


# step 5
def handle(event):
    handler = HANDLERS[event["type"]]
    try:
        handler(event["data"])
    except Rejected as rejected:
        if rejected.code == "duplicate_reference":
            print(event["type"], "was carried before")
        elif rejected.code in ("unauthorized", "sandbox_bankrupt"):
            raise  # nothing can be carried any more
        else:  # report it, and do not let it hold up the rest
            print("event", event["seq"], "needs a person:", rejected)


# step 3
def catch_up(state):
    while True:
        page = send("GET", f"/events?after_seq={state['seq']}&types={','.join(HANDLERS)}")
        for event in page["items"]:
            # until 4: handler = HANDLERS[event["type"]]
            # until 4: handler(event["data"])
            handle(event)  # step 5
            state["seq"] = event["seq"]
            save(state)  # after the effect, never before
        if page["next_cursor"] is None:
            return
# step 1


# until 2: for order in send("GET", "/office/sales-orders?status=accepted")["items"]:
# until 2:     carry_order(order)
# step 3
# until 6: catch_up(load())
# step 7
def main():
    state = load()
    while True:
        catch_up(state)
        carry_weeks(state)
        if "--follow" not in sys.argv:
            return
        # The response comes when there is an event, or after 20 seconds.
        send("GET", f"/events/poll?after_seq={state['seq']}&types={','.join(HANDLERS)}&wait_s=20&limit=1")


main()
