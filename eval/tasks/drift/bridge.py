#!/usr/bin/env python3
"""Accepts the sales orders that wait at Head Office, and orders the work for them at
the Factory: hour after hour, for the first five days of the company.

    PLATEN_URL=http://127.0.0.1:8080/v1 PLATEN_OFFICE_KEY=lab_off_... \\
    PLATEN_FACTORY_KEY=lab_fac_... python3 bridge.py

What it has done before it does not do again, so it can be started anew at any time.
"""

import collections
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ["PLATEN_URL"].rstrip("/")
KEYS = {"office": os.environ["PLATEN_OFFICE_KEY"], "factory": os.environ["PLATEN_FACTORY_KEY"]}
DAYS = 5

# What a sales order, a customer and a work order are made of.
Order = collections.namedtuple("Order", """
    id number customer_id customer_name sku product_name unit quantity unit_price_minor total_minor currency status
    received_on answer_by due_date cancel_after rush late_discount_pct_per_day late_discount_cap_pct
    quantity_billed bridged_work_order_id shipment_id invoice_id invoice_ids shipped_on late_discount_minor decline_reason
    expired_reason
    created_at updated_at created_on
""")
Customer = collections.namedtuple("Customer", """
    id name payment_terms_days payment_habit credit_note credit_limit_minor open_minor accepts_parts
    delivery_tolerance_pct satisfaction_pct
    created_at updated_at created_on
""")
Work = collections.namedtuple("Work", """
    id number sku product_name kind unit quantity quantity_from_stock quantity_good quantity_ready quantity_shipped
    reference source due_date priority
    status waits_for material_needs print_run_ids order_expired ready_on shipment_id created_at updated_at created_on
""")

# How many days after the due date a customer pays: for the line that is printed.
HABITS = {"prompt": 0, "usual": 2, "slow": 9, "instalments": 5}


def call(system, method, path, body=None, key=None):
    request = urllib.request.Request(URL + path, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("Authorization", "Bearer " + KEYS[system])
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.add_header("Idempotency-Key", key)
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as refused:
            if refused.code not in (429, 503):
                raise
            time.sleep(float(refused.headers.get("Retry-After", 1)))


def rows(system, path, kind, **parameters):
    """Reads a whole list, oldest row first."""
    found = []
    while True:
        page = call(system, "GET", path + "?" + urllib.parse.urlencode({"limit": 100, **parameters}))
        found += [kind(**row) for row in page["items"]]
        if page["next_cursor"] is None:
            return found[::-1]
        parameters["cursor"] = page["next_cursor"]


def carry():
    customers = {c.id: c for c in rows("office", "/office/customers", Customer)}
    for order in rows("office", "/office/sales-orders", Order, status="received"):
        call("office", "POST", f"/office/sales-orders/{order.id}/accept", {}, "accept-" + order.id)
        days = HABITS[customers[order.customer_id].payment_habit]
        print(f"{order.number} is accepted; its customer pays {days} days after the due date", flush=True)
    known = {w.reference for w in rows("factory", "/factory/work-orders", Work)}
    for order in rows("office", "/office/sales-orders", Order, status="accepted"):
        if order.id not in known:
            work = {"sku": order.sku, "quantity": order.quantity, "reference": order.id, "due_date": order.due_date}
            call("factory", "POST", "/factory/work-orders", work, "work-" + order.id)


def main():
    while True:
        clock = call("office", "GET", "/sandbox")["clock"]
        if clock["day_number"] >= DAYS:
            return
        carry()
        call("office", "POST", "/sandbox/tick", {"minutes": 60}, f"tick-{clock['day_number']}-{clock['sim_time']}")


if __name__ == "__main__":
    sys.exit(main())
