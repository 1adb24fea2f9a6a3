"""Carries records between Head Office and the Factory."""
from api import send


def carry_order(order):
    work = send("POST", "/factory/work-orders", "carry-" + order["id"], {
        "sku": order["sku"],
        "quantity": order["quantity"],
        "due_date": order["due_date"],
        "reference": order["id"],
    })
    print(order["number"], "is work order", work["number"])


for order in send("GET", "/office/sales-orders?status=accepted")["items"]:
    carry_order(order)
