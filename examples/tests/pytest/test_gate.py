"""A test of an integration that ends with a gate: everything that was due was carried exactly once, over faults."""

import platen
import pytest
from platen.fixture import require_exactly_once


def carry_orders(client, key_of):
    """The integration that is tested: it takes each order to the Factory."""
    for order in client.sales_orders(status="received"):
        client.accept_sales_order(order["id"], idempotency_key=platen.key_for("accept", order["id"]))
        for attempt in range(1, 6):
            try:
                client.create_work_order(
                    sku=order["sku"],
                    quantity=order["quantity"],
                    reference=order["id"],
                    idempotency_key=key_of(order["id"], attempt),
                )
                break
            except platen.ApiError as error:
                if error.status < 500:  # a conflict: the Factory has the order
                    break
            except platen.NetworkError:
                continue


@pytest.fixture
def lossy(platen_server):
    """A company in which a response and a request of the next work orders are lost. Attempts are those of the program:
    the client repeats none by itself."""
    sandbox = platen_server.sandbox(preset="manual", seed=7, max_retries=0)
    for kind in ("response_lost", "request_lost"):
        sandbox.client.inject_fault(kind=kind, operations=["create_work_order"])
    return sandbox


def test_each_order_is_carried_exactly_once(lossy):
    carry_orders(lossy.client, lambda order, attempt: platen.key_for("carry", order))
    require_exactly_once(lossy, min_due=3, min_hit=1)


def test_a_key_for_each_attempt_does_not_pass(lossy):
    """Why the gate is there: this program works without faults, and with these only by luck."""
    carry_orders(lossy.client, lambda order, attempt: platen.key_for("carry", order, attempt))
    with pytest.raises(AssertionError, match="client is 0.000, less than 1\nsaved: create_work_order"):
        require_exactly_once(lossy)
