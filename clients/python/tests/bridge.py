"""Carries records between the two systems of a company with the manual bridge, once: what a bridge needs beside the
client. The Go suite runs it in companies in which nearly everything goes wrong.

    python3 bridge.py --once --state FILE

Exit status 3 says that something did not get through, and that another run makes sense.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import platen  # noqa: E402

LAST_MINUTE = "15:59"
LATER = 3
client = platen.Client(
    os.environ["PLATEN_URL"], platen.Keys(os.environ["PLATEN_OFFICE_KEY"], os.environ["PLATEN_FACTORY_KEY"])
)


class NotShown(Exception):
    """A read does not show yet what the feed tells of: the feed is never behind, other reads may be for a while."""


def shown(read: Callable[[str], Any], name: str) -> Any:
    try:
        return read(name)
    except platen.ApiError as error:
        if error.code == "not_found":
            raise NotShown(str(error)) from None
        raise


def order_work(sold: dict[str, Any], due_date: str, key: str) -> None:
    client.create_work_order(
        sku=sold["sku"], quantity=sold["quantity"], reference=sold["id"], due_date=due_date, idempotency_key=key
    )


def order_lot(accepted: dict[str, Any], key: str) -> None:
    lot = shown(client.get_contract_lot, accepted["id"])
    order_work(lot, lot["deliver_by"], key)


def bill(parcel: dict[str, Any], key: str) -> None:
    reference = parcel["reference"]
    sold = {"sales_order_id" if reference.startswith("so_") else "contract_lot_id": reference}
    client.create_office_shipment(**sold, factory_shipment_ref=parcel["id"], idempotency_key=key)


def file_requisition(wanted: dict[str, Any], key: str) -> None:
    client.create_requisition(
        lines=[{"sku": wanted["sku"], "quantity": wanted["quantity"]}],
        reference=wanted["id"],
        needed_by=wanted["needed_by"],
        idempotency_key=key,
    )


def record_receipt(counted: dict[str, Any], key: str) -> None:
    number = counted["purchase_order_number"]
    order = next((order for order in client.purchase_orders() if order["number"] == number), None)
    if order is None:
        raise NotShown(f"the purchase order {number} is not shown yet")
    receipt = shown(client.get_factory_goods_receipt, counted["id"])
    members = ("sku", "quantity_accepted", "quantity_rejected")
    client.create_office_goods_receipt(
        purchase_order_id=order["id"],
        reference=counted["id"],
        lines=[{member: line[member] for member in members} for line in receipt["lines"]],  # type: ignore[misc]
        idempotency_key=key,
    )


# The events that mean work, and the work. The same event leads to the same request, with a key made of it.
HAND_OFFS: dict[Any, Callable[[dict[str, Any], str], None]] = {
    "office.sales_order.accepted": lambda order, key: order_work(order, order["due_date"], key),
    "office.contract_lot.accepted": order_lot,
    "factory.shipment.created": bill,
    "factory.requisition.created": file_requisition,
    "factory.goods_receipt.recorded": record_receipt,
}


def passes(error: Exception) -> bool:
    if isinstance(error, (platen.NetworkError, NotShown)):
        return True
    return isinstance(error, platen.ApiError) and (
        error.retryable or error.status == 429 or error.status >= 500 or error.code == "too_many_open"
    )


def deal(what: str, act: Callable[[], None]) -> None:
    """What is refused for good is reported and passed: it would be refused for ever and hold up all the rest."""
    try:
        act()
    except platen.ApiError as error:
        if passes(error) or error.status in (401, 403, 423):
            raise
        print(f"{what}: {error}")


def carry_weeks() -> None:
    events = client.list_events(limit=1).items
    if not events:  # one system is away, and the feed shows nothing
        return
    clock = client.get_sandbox()["clock"]
    first = date.fromisoformat(events[0]["sim_date"])
    monday = first - timedelta(days=first.weekday())
    while True:
        friday = (monday + timedelta(days=4)).isoformat()
        if clock["sim_date"] < friday or (clock["sim_date"] == friday and clock["sim_time"] < LAST_MINUTE):
            return
        week = monday.isoformat()
        deal(f"the week of {week}", lambda: record_hours(week))
        monday += timedelta(days=7)


def record_hours(week: str) -> None:
    entries: dict[str, Any] = {}
    for row in client.attendance(week_start=week):
        badge = row["badge_no"]
        entry = entries.setdefault(badge, {"badge_no": badge, "hours_worked": 0, "hours_sick": 0, "hours_leave": 0})
        if row["absence"] == "none":
            entry["hours_worked"] += row["hours"]
        else:
            entry["hours_" + row["absence"]] += 8
    if entries:
        client.create_timesheet(
            week_start=week, entries=list(entries.values()), idempotency_key="bridge-week-" + week
        )


def main() -> int:
    checkpoint = platen.FileCheckpoint(sys.argv[sys.argv.index("--state") + 1])
    try:
        for event in client.events(checkpoint=checkpoint, types=list(HAND_OFFS), follow=False):
            key, data = "bridge-" + event["id"], event["data"]
            deal(f"event {event['seq']}, {event['type']}", lambda: HAND_OFFS[event["type"]](data, key))
        carry_weeks()
    except Exception as error:
        if not passes(error):
            raise
        print(error, file=sys.stderr)
        return LATER
    return 0


if __name__ == "__main__":
    sys.exit(main())
