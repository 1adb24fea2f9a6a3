"""Fifty tests, each in a company of its own: a fork of one that was prepared once."""

import pytest


@pytest.mark.parametrize("reason", [f"no paper on day {n}" for n in range(50)])
def test_an_order_is_declined(platen_sandbox, reason):
    client = platen_sandbox.client
    order = client.list_sales_orders(status="received", limit=1).items[0]
    client.decline_sales_order(order["id"], reason=reason)
    assert client.get_sales_order(order["id"])["decline_reason"] == reason
