"""The feed with a checkpoint, the end of waits, and what is reported."""

from __future__ import annotations

import asyncio
import socket
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

import platen

from .test_script import Fake


def page(seqs: list[int], last_seq: int, next_cursor: str | None = None) -> dict[str, Any]:
    items = [{"id": f"evt_{seq}", "seq": seq, "type": "x", "data": {}} for seq in seqs]
    return {"data": {"items": items, "last_seq": last_seq, "next_cursor": next_cursor}}


def refused(status: int, code: str, retryable: bool, **headers: str) -> dict[str, Any]:
    return {"status": status, "headers": headers, "error": {"code": code, "retryable": retryable}}


GONE = refused(401, "unauthorized", False)


class Memory:
    def __init__(self, seq: int = 0) -> None:
        self.seq = seq
        self.saved: list[int] = []

    def load(self) -> int:
        return self.saved[-1] if self.saved else self.seq

    def save(self, seq: int) -> None:
        self.saved.append(seq)


class Base(unittest.TestCase):
    def server(self, *steps: dict[str, Any]) -> Fake:
        server = Fake(list(steps))
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def client(self, server: Fake, **options: Any) -> platen.Client:
        client = platen.Client(server.url, platen.Keys(office="k"), **({"sleep": lambda _: None} | options))
        self.addCleanup(client.close)
        return client


class FeedTest(Base):
    def test_an_event_is_passed_when_the_next_one_is_asked_for(self) -> None:
        server = self.server(page([8, 9], 12, "z"), page([12], 13), GONE)
        checkpoint, seen = Memory(7), []
        with self.assertRaises(platen.ApiError):
            for event in self.client(server).events(checkpoint=checkpoint, types=["hr.employee.sick"]):
                self.assertNotIn(event["seq"], checkpoint.saved)
                seen.append(event["seq"])
        self.assertEqual(seen, [8, 9, 12])
        self.assertEqual(checkpoint.saved, [8, 9, 12, 13])
        asked = [(sent["path"], sent["query"]["after_seq"], sent["query"]["types"]) for sent in server.requests]
        self.assertEqual(asked, [("/v1/events/poll", seq, "hr.employee.sick") for seq in ("7", "9", "13")])

    def test_an_event_whose_handling_was_cut_short_comes_again(self) -> None:
        checkpoint = Memory()
        for event in self.client(self.server(page([1, 2, 3], 3))).events(checkpoint=checkpoint, follow=False):
            if event["seq"] == 2:
                break
        self.assertEqual(checkpoint.saved, [1])
        server = self.server(page([2, 3], 3))
        list(self.client(server).events(checkpoint=checkpoint, follow=False))
        self.assertEqual(checkpoint.saved, [1, 2, 3])
        self.assertEqual(server.requests[0]["query"]["after_seq"], "1")

    def test_a_follower_outlives_an_outage(self) -> None:
        outage = [refused(503, "unavailable", True)] * 9
        server = self.server(page([1], 1), *outage, page([2], 2), GONE)
        seen = []
        with self.assertRaises(platen.ApiError) as raised:
            for event in self.client(server).events():
                seen.append(event["seq"])
        self.assertEqual(raised.exception.code, "unauthorized")
        self.assertEqual((seen, len(server.requests)), ([1, 2], 12))

    def test_a_reader_that_does_not_follow_fails_with_the_outage(self) -> None:
        client = self.client(self.server(refused(503, "unavailable", True)), max_retries=0)
        with self.assertRaises(platen.ApiError):
            list(client.events(follow=False))

    def test_the_same_in_an_event_loop(self) -> None:
        server = self.server(page([1, 2], 2), *[refused(503, "unavailable", True)] * 9, page([3], 4), GONE)
        checkpoint, seen = Memory(), []

        async def nothing(_: float) -> None:
            pass

        async def follow() -> None:
            async with platen.AsyncClient(server.url, platen.Keys(office="k"), sleep=nothing) as client:
                async for event in client.events(checkpoint=checkpoint):
                    seen.append(event["seq"])

        with self.assertRaises(platen.ApiError):
            asyncio.run(follow())
        self.assertEqual((seen, checkpoint.saved), ([1, 2, 3], [1, 2, 3, 4]))

    def test_a_checkpoint_in_a_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "seq"
            checkpoint = platen.FileCheckpoint(path)
            self.assertEqual(checkpoint.load(), 0)
            checkpoint.save(12)
            self.assertEqual(path.read_text(), "12\n")
            self.assertEqual(platen.FileCheckpoint(str(path)).load(), 12)
            self.assertEqual([entry.name for entry in Path(folder).iterdir()], ["seq"])
            path.write_text("twelve")
            with self.assertRaisesRegex(ValueError, "no checkpoint"):
                checkpoint.load()


class EndTest(Base):
    def test_a_cancelled_call_ends_its_wait_and_its_connection_at_once(self) -> None:
        busy = self.server(refused(503, "unavailable", True, **{"Retry-After": "30"}))
        silent = self.server({"silent": True})

        async def ended(url: str) -> float:
            async with platen.AsyncClient(url, platen.Keys(office="k")) as client:
                began = time.monotonic()
                with self.assertRaises(TimeoutError):
                    await asyncio.wait_for(client.get_cash(), 0.3)
                return time.monotonic() - began

        for server in (busy, silent):
            self.assertLess(asyncio.run(ended(server.url)), 10)
        left = [thread for thread in threading.enumerate() if thread.name.startswith("platen")]
        for thread in left:  # the pool of a client that is gone ends its threads
            thread.join(10)
            self.assertFalse(thread.is_alive())

    def test_an_event_ends_the_waits_of_a_client(self) -> None:
        stop = threading.Event()
        server = self.server(refused(503, "unavailable", True, **{"Retry-After": "30"}))
        client = self.client(server, sleep=None, stop=stop, on_wait=lambda _: stop.set())
        with self.assertRaises(platen.Stopped):
            client.get_cash()
        with self.assertRaises(platen.Stopped):
            client.get_cash()
        self.assertEqual(len(server.requests), 1)

    def test_an_attempt_that_takes_too_long_is_tried_again(self) -> None:
        server = self.server({"silent": True})
        with self.assertRaises(platen.NetworkError) as raised:
            self.client(server, timeout_s=0.05, max_retries=2).get_cash()
        self.assertEqual((raised.exception.attempts, len(server.requests)), (3, 3))

    def test_a_connection_is_kept_and_one_that_the_server_closed_is_not_used_again(self) -> None:
        server = self.server({"data": {}}, {"data": {}}, {"data": {}, "headers": {"Connection": "close"}}, {"data": {}})
        client = self.client(server, max_retries=0)
        for _ in range(5):
            client.get_cash()
        ports = [sent["port"] for sent in server.requests]
        self.assertEqual([ports[0] == port for port in ports], [True, True, True, False, False])
        self.assertEqual(ports[3], ports[4])


class ReportTest(Base):
    def test_each_attempt_and_each_wait_is_reported(self) -> None:
        server = self.server(refused(503, "unavailable", True), {"data": {"id": "so/1"}})
        exchanges: list[platen.Exchange] = []
        waits: list[platen.Wait] = []
        client = self.client(server, on_exchange=exchanges.append, on_wait=waits.append)
        client.decline_sales_order("so/1", reason="too far")
        self.assertEqual(
            [(x.operation, x.attempt, x.method, x.path, x.system, x.status, x.request) for x in exchanges],
            [
                ("decline_sales_order", n, "POST", "/office/sales-orders/so%2F1/decline", "office", status,
                 b'{"reason":"too far"}')
                for n, status in ((1, 503), (2, 200))
            ],
        )  # fmt: skip
        self.assertEqual(len(waits), 1)
        self.assertTrue(platen.is_code(waits[0].error, "unavailable"))

    def test_a_report_that_fails_leaves_the_result(self) -> None:
        server = self.server({"data": {"cash_minor": 1}}, GONE)
        told: list[platen.Exchange] = []

        def report(exchange: platen.Exchange) -> None:
            told.append(exchange)
            raise KeyError("report")

        client = self.client(server, on_exchange=report)
        with self.assertLogs("platen", "ERROR"):
            self.assertEqual(client.get_cash(), {"cash_minor": 1})
            with self.assertRaises(platen.ApiError):
                client.get_cash()
        self.assertEqual([exchange.status for exchange in told], [200, 401])

    def test_an_error_of_the_network_names_the_server(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with self.assertRaises(platen.NetworkError) as raised:
            platen.Client(f"http://127.0.0.1:{port}/v1", platen.Keys(office="k"), max_retries=0).get_cash()
        self.assertRegex(str(raised.exception), rf"http://127\.0\.0\.1:{port}.*Is the server running\?$")

    def test_a_response_that_comes_before_the_end_of_a_large_body_is_read(self) -> None:
        body = b'{"meta": {}, "error": {"code": "body_too_large"}}'
        head = b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        connections: list[socket.socket] = []

        def reject() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                connections.append(connection)
                connection.recv(1000)
                connection.sendall(head + body)
                connection.close()  # with an unread body: a reset

        threading.Thread(target=reject, daemon=True).start()
        client = platen.Client(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", platen.Keys(office="k"))
        with self.assertRaises(platen.ApiError) as raised:
            client.create_webhook(url="x" * 10_000_000, events=[])
        self.assertEqual((raised.exception.status, len(connections)), (413, 1))

    def test_a_call_that_is_cancelled_while_it_connects_sends_nothing(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        begun, go = threading.Event(), threading.Event()
        connect = socket.create_connection

        def slow(*args: Any, **options: Any) -> socket.socket:
            begun.set()
            go.wait()
            return connect(*args, **options)

        async def cancelled() -> None:
            async with platen.AsyncClient(
                f"http://127.0.0.1:{listener.getsockname()[1]}/v1", platen.Keys(office="k")
            ) as client:
                call = asyncio.create_task(client.get_cash())
                await asyncio.to_thread(begun.wait)
                call.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await call
            go.set()

        with unittest.mock.patch("socket.create_connection", slow):
            asyncio.run(cancelled())
        connection, _ = listener.accept()
        with connection:
            self.assertEqual(connection.recv(1000), b"")

    def test_a_checkpoint_that_cannot_be_written_leaves_no_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "seq")
            path.mkdir()
            with self.assertRaises(OSError):
                platen.FileCheckpoint(path).save(1)
            self.assertEqual(list(Path(folder).iterdir()), [path])

    def test_keys_are_not_printed(self) -> None:
        made = {"sandbox_id": "sbx_1", "public_name": "Heron", "office_key": "secret", "factory_key": "secret"}
        server = self.server({"status": 201, "data": made})
        exchanges: list[platen.Exchange] = []
        sandbox = platen.create_sandbox(server.url, creation_key="secret", on_exchange=exchanges.append)
        self.addCleanup(sandbox.client.close)
        printed = f"{sandbox} {sandbox!r} {sandbox.keys} {sandbox.client} {exchanges} {platen.Options(creation_key='secret')}"
        self.assertNotIn("secret", printed)
        self.assertEqual(sandbox.keys.office, "secret")

    def test_a_request_of_the_programs_own_gets_its_key_by_its_path(self) -> None:
        server = self.server({"status": 503, "text": "a,b"})
        client = platen.Client(server.url + "/", platen.Keys(office="o", factory="f"))
        self.addCleanup(client.close)
        answer = client.do("GET", "/factory/presses.csv?limit=2")
        self.assertEqual((answer.status, answer.body), (503, b"a,b"))
        client.do("POST", "sandbox/tick", body=b"{}")
        client.do("GET", "/office/cash", headers={"X-Api-Key": "other"})
        self.assertEqual(
            [(sent["path"], sent["headers"].get("authorization"), "idempotency-key" in sent["headers"],
              sent["headers"].get("content-type")) for sent in server.requests],
            [
                ("/v1/factory/presses.csv", "Bearer f", False, None),
                ("/v1/sandbox/tick", "Bearer o", True, "application/json"),
                ("/v1/office/cash", None, False, None),
            ],
        )  # fmt: skip

    def test_the_origin_of_a_server_is_as_good_as_its_base_url(self) -> None:
        server = self.server({"data": {}})
        for end in ("", "/", "/v1", "/v1/", "/platen/v1"):
            client = platen.Client(server.url.removesuffix("/v1") + end, platen.Keys(office="k"))
            self.addCleanup(client.close)
            client.get_cash()
        paths = [request["path"] for request in server.requests]
        self.assertEqual(paths, ["/v1/office/cash"] * 4 + ["/platen/v1/office/cash"])

    def test_mistakes_of_the_program_are_told(self) -> None:
        with self.assertRaisesRegex(ValueError, "base URL"):
            platen.Client("localhost:8080")
        with self.assertRaisesRegex(TypeError, "retries"):
            platen.Client("http://x.test/v1", retries=3)
        client = platen.Client("http://x.test/v1", platen.Keys(factory="k"))
        for name in ("..", "", None):
            with self.assertRaises(platen.PlatenError):
                client.get_work_order(name)  # type: ignore[arg-type]
