"""Carries records between Head Office and the Factory."""
import json
import os

from api import send

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


HANDLERS = {
    "office.sales_order.accepted": carry_order,
    "office.contract_lot.accepted": carry_lot,
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


def catch_up(state):
    while True:
        page = send("GET", f"/events?after_seq={state['seq']}&types={','.join(HANDLERS)}")
        for event in page["items"]:
            handler = HANDLERS[event["type"]]
            handler(event["data"])
            state["seq"] = event["seq"]
            save(state)  # after the effect, never before
        if page["next_cursor"] is None:
            return


catch_up(load())
