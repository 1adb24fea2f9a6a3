"""Carries records between Head Office and the Factory."""
import json
import os

from api import Rejected, send

STATE = "bridge-state.json"


def carry_order(order):
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


def bill(parcel):
    # The reference on the parcel is the one that we gave the work order.
    reference = parcel["reference"]
    field = "contract_lot_id" if reference.startswith("lot_") else "sales_order_id"
    shipment = send("POST", "/office/shipments", "bill-" + parcel["id"], {
        field: reference,
        "factory_shipment_ref": parcel["id"],
    })
    print(parcel["number"], "is billed as", shipment["invoice"]["number"])


def file_requisition(wanted):
    requisition = send("POST", "/office/requisitions", "file-" + wanted["id"], {
        "lines": [{"sku": wanted["sku"], "quantity": wanted["quantity"]}],
        "needed_by": wanted["needed_by"],
        "reference": wanted["id"],
    })
    print(wanted["number"], "is requisition", requisition["number"])


HANDLERS = {
    "office.sales_order.accepted": carry_order,
    "office.contract_lot.accepted": carry_lot,
    "factory.shipment.created": bill,
    "factory.requisition.created": file_requisition,
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


def catch_up(state):
    while True:
        page = send("GET", f"/events?after_seq={state['seq']}&types={','.join(HANDLERS)}")
        for event in page["items"]:
            handle(event)
            state["seq"] = event["seq"]
            save(state)  # after the effect, never before
        if page["next_cursor"] is None:
            return


catch_up(load())
