"""What only a real server can show.

PLATEN_URL is one without limits, PLATEN_BUSY_URL one that asks for proofs of work and has a single place.
`go test ./test/docs -run Client` starts both.
"""

from __future__ import annotations

import asyncio
import inspect
import multiprocessing
import os
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import platen
from platen._transport import Transport

URL = os.environ.get("PLATEN_URL", "")
FORKS = "fork" in multiprocessing.get_all_start_methods()
BUSY = os.environ.get("PLATEN_BUSY_URL", "")


@unittest.skipUnless(URL, "SKIPPED: there is no PLATEN_URL")
class ServerTest(unittest.TestCase):
    maxDiff = None

    def enter(self, **options: Any) -> platen.Sandbox:
        sandbox = platen.create_sandbox(URL, preset="starter", seed=1, clock="manual", **options)
        self.addCleanup(sandbox.client.close)
        return sandbox

    def received(self, client: platen.Client) -> platen.types.OfficeSalesOrder:
        return next(order for order in client.sales_orders(status="received") if order["number"] == "SO-1001")

    def test_an_order_becomes_cash_and_the_feed_tells_of_it(self) -> None:
        client = self.enter().client
        before = client.get_cash()["cash_minor"]
        order = client.accept_sales_order(self.received(client)["id"])
        self.assertEqual(order["status"], "in_production")
        work = order["bridged_work_order_id"]
        assert work is not None
        client.preview_start_print_run(press_id="prs_digital", work_order_id=work, overs_pct=5)
        self.assertEqual(client.list_print_runs().items, [])
        client.start_print_run(press_id="prs_digital", work_order_id=work, overs_pct=5)
        with self.assertRaises(platen.ApiError) as raised:
            client.start_print_run(press_id="prs_digital", work_order_id=work)
        self.assertEqual(raised.exception.status, 409)
        client.advance_time(minutes=120)
        parcel = client.create_factory_shipment(work_order_id=work)
        assert parcel["bridged_office_shipment_id"] is not None
        billed = client.get_office_shipment(parcel["bridged_office_shipment_id"])
        for _ in range(4):
            client.advance_time()
        assert billed["invoice"] is not None
        invoice = client.get_customer_invoice(billed["invoice"]["id"])
        self.assertEqual(invoice["status"], "paid")
        self.assertGreaterEqual(client.get_cash()["cash_minor"], before + invoice["total_minor"])
        events = list(client.events(follow=False, limit=7))
        self.assertEqual(events, list(client.events_where()))
        self.assertEqual([event["seq"] for event in events], list(range(1, len(events) + 1)))
        self.assertLessEqual({event["type"] for event in events}, set(platen.EVENT_TYPES))
        paid = [event["data"]["id"] for event in events if event["type"] == "office.customer_invoice.paid"]
        self.assertIn(invoice["id"], paid)

    def test_a_test_waits_for_the_program_that_it_tests(self) -> None:
        client = self.enter().client
        order = self.received(client)
        read = platen.Call()
        client.get_sales_order(order["id"], call=read)
        assert read.meta is not None
        program = threading.Timer(0.2, client.accept_sales_order, [order["id"]])
        program.start()
        self.addCleanup(program.join)
        found = client.wait_for_request(operation="accept_sales_order", status="2xx", after=read.meta["request_id"])
        self.assertEqual(found["path"], f"/v1/office/sales-orders/{order['id']}/accept")
        with self.assertRaises(TimeoutError):
            client.wait_for_request(operation="run_payroll", timeout_s=0.01)

        async def wait() -> platen.types.LoggedCall:
            async with platen.AsyncClient(URL, client._core.keys) as other:
                return await other.wait_for_request(operation="accept_sales_order")

        self.assertEqual(asyncio.run(wait())["id"], found["id"])

    def test_rows_have_the_fields_that_the_types_name(self) -> None:
        """Of every list: each member that came has its place in the type of the rows, and each that the type wants came."""
        client = self.enter().client
        rows = 0
        for name, method in inspect.getmembers(platen.Client, inspect.isfunction):
            if not name.startswith("list_") or "/" in str(inspect.signature(method)):
                continue
            row = getattr(platen.types, inspect.signature(method).return_annotation.removeprefix("Page[t.").rstrip("]"))
            for item in getattr(client, name)().items:
                rows += 1
                self.assertLessEqual(row.__required_keys__, set(item), name)
                self.assertLessEqual(set(item), set(row.__annotations__), name)
        self.assertGreater(rows, 50)

    def test_a_follower_waits_for_what_happens(self) -> None:
        client = self.enter().client
        client.get_sandbox()  # the first request completes a mission
        after = client.list_events(limit=1).last_seq
        found: list[Any] = []
        follower = threading.Thread(target=lambda: found.append(next(iter(client.events(after=after)))))
        follower.start()
        client.accept_sales_order(self.received(client)["id"])
        follower.join(60)
        self.assertEqual((found[0]["type"], found[0]["seq"]), ("office.sales_order.accepted", after + 1))

    def test_a_lost_response_is_brought_again(self) -> None:
        client = self.enter(sleep=lambda _: None).client
        lost = []

        class Lossy(Transport):
            def send(self, send: Any, abort: Any = None) -> Any:
                response = super().send(send, abort)
                if send.method == "POST" and response.headers.get("idempotency-replayed") != "true":
                    lost.append(send)
                    raise platen.NetworkError("the connection was cut")
                return response

        client._transport = Lossy(client.base_url, client._core.options)
        self.addCleanup(client.close)
        for reference in ("a", "b"):
            call = platen.Call()
            work = client.create_work_order(sku="prd_flyer", quantity=100, reference=reference, call=call)
            self.assertEqual((work["reference"], call.replayed, call.attempts), (reference, True, 2))
        self.assertEqual((len(client.list_work_orders().items), len(lost)), (2, 2))

    def test_lists_their_versions_and_their_errors(self) -> None:
        sandbox = self.enter()
        client = sandbox.client
        page = client.list_stock_items(limit=2)
        self.assertTrue(len(page.items) == 2 and page.next_cursor and page.etag and page.meta.get("sim_date"))
        self.assertEqual(list(client.stock_items(limit=3)), client.list_stock_items(limit=100).items)
        with self.assertRaises(platen.NotModified):
            client.list_stock_items(limit=2, if_none_match=page.etag)
        stranger = platen.Client(URL, platen.Keys(office=sandbox.keys.factory))
        self.addCleanup(stranger.close)
        for code, act in (
            ("invalid_cursor", lambda: client.list_stock_items(cursor="x")),
            ("not_found", lambda: client.get_sales_order("so_none")),
            ("wrong_system", stranger.get_cash),
        ):
            with self.assertRaises(platen.ApiError) as raised:
                act()
            self.assertEqual(raised.exception.code, code)
            self.assertTrue(raised.exception.docs_url and raised.exception.request_id)

    def test_a_fork_lives_a_life_of_its_own(self) -> None:
        sandbox = self.enter()
        fork = sandbox.client.fork_sandbox()
        assert fork.forked_from is not None
        self.assertEqual(fork.forked_from["sandbox_id"], sandbox.sandbox_id)
        fork.client.advance_time()
        days = [one.client.get_sandbox()["clock"]["day_number"] for one in (sandbox, fork)]
        self.assertEqual(days, [0, 1])

    def test_many_calls_at_once_in_an_event_loop(self) -> None:
        async def play() -> list[Any]:
            sandbox = await platen.create_sandbox_async(URL, preset="starter", clock="manual")
            async with sandbox.client as client:
                works = await asyncio.gather(
                    *(client.create_work_order(sku="prd_flyer", quantity=n, reference=str(n)) for n in range(1, 21))
                )
                listed = [work["id"] async for work in client.work_orders(limit=3)]
                assert sorted(listed) == sorted(work["id"] for work in works)
                return listed

        self.assertEqual(len(asyncio.run(play())), 20)

    if FORKS:  # Windows has none

        def test_a_forked_process_gets_its_own_responses(self) -> None:
            client = self.enter().client
            client.get_cash()  # its connection is kept
            sent = [os.urandom(8).hex() for _ in range(200)]
            with multiprocessing.get_context("fork").Pool(4, _begin_worker, (client,)) as pool:
                came = pool.map(_reference, sent, chunksize=1)
            wrong = [pair for pair in zip(sent, came, strict=True) if pair[0] != pair[1]]
            self.assertEqual(wrong, [])
            self.assertIn("cash_minor", client.get_cash())

        def test_a_forked_process_leaves_its_parent_the_connection(self) -> None:
            client = self.enter().client
            client.get_cash()
            [(connection, _)] = client._transport._kept
            child = multiprocessing.get_context("fork").Process(target=client.get_cash)
            child.start()
            child.join(60)
            self.assertEqual(child.exitcode, 0)
            client.get_cash()
            self.assertIs(client._transport._kept[0][0], connection)

        def test_an_event_loop_of_a_forked_process_has_threads_of_its_own(self) -> None:
            sandbox = self.enter()
            client = platen.AsyncClient(URL, sandbox.keys)
            self.assertIn("cash_minor", asyncio.run(_cash(client)))
            child = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(_cash(client)))
            child.start()
            child.join(60)
            ended = child.exitcode
            child.kill()
            child.join()
            self.assertEqual(ended, 0)

    def test_a_delivery_is_verified(self) -> None:
        client = self.enter().client
        came: list[Any] = []
        secret: list[str] = []

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                try:
                    came.append(platen.webhook.verify(secret, self.headers, body))  # type: ignore[arg-type]
                except platen.WebhookError as error:
                    came.append({"error": error})
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{receiver.server_port}"
        subscription = client.create_webhook(url=url, events=["office.sales_order.accepted"])
        secret.append(subscription.get("secret") or "")
        self.assertTrue(client.test_webhook(subscription["id"])["delivered"])
        order = client.accept_sales_order(self.received(client)["id"])
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not any(e.get("data", {}).get("id") == order["id"] for e in came):
            time.sleep(0.02)
        self.assertTrue(any(e.get("data", {}).get("id") == order["id"] for e in came), came)
        self.assertFalse(any("error" in event for event in came), came)


async def _cash(client: platen.AsyncClient) -> Any:
    async with client:
        return await client.get_cash()


_client: platen.Client


def _begin_worker(client: platen.Client) -> None:
    global _client
    _client = client


def _reference(reference: str) -> str | None:
    """Write and read in a worker, over the connection of its parent if it has taken that."""
    work = _client.create_work_order(sku="prd_flyer", quantity=100, reference=reference)
    return _client.get_work_order(work["id"])["reference"] if work["reference"] == reference else work["reference"]


@unittest.skipUnless(BUSY, "SKIPPED: there is no PLATEN_BUSY_URL")
class BusyTest(unittest.TestCase):
    def test_work_is_proved_and_the_queue_is_waited_for(self) -> None:
        waits: list[platen.Wait] = []
        first = platen.create_sandbox(BUSY, on_wait=waits.append)
        self.assertEqual([wait.difficulty for wait in waits], [10])

        def sleep(seconds: float) -> None:
            if first.sandbox_id:
                first.client.delete_sandbox()
                first.sandbox_id = ""
            time.sleep(min(seconds, 0.2))

        second = platen.create_sandbox(BUSY, on_wait=waits.append, sleep=sleep)
        self.assertTrue(any(wait.ticket and wait.ticket["position"] == 1 for wait in waits), waits)
        second.client.delete_sandbox()
        first.client.close()
        second.client.close()
