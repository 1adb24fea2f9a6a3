"""Plays clients/script.json, which the clients of all languages have in common."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import threading
import unittest
from collections.abc import Callable
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import platen

SCRIPT = json.loads((Path(__file__).parents[2] / "script.json").read_text(encoding="utf-8"))
BEGAN = datetime.fromisoformat("2026-10-01T09:00:00Z").timestamp()


def envelope(step: dict[str, Any]) -> bytes:
    """The body of a prepared response."""
    if "text" in step:
        return step["text"].encode()
    if "blanks" in step:
        return b" " * step["blanks"]
    meta = {"simulation": True, "request_id": "req_1", "api_version": "2026-09"}
    if time := step.get("server_time", "2026-10-01T09:00:00.000000Z"):
        meta["server_time"] = time
    if "error" in step:
        return json.dumps({"meta": meta, "error": {"message": "m", "hint": "h", "docs_url": "d", **step["error"]}}).encode()
    return json.dumps({"meta": meta, "data": step.get("data")}).encode()


class Fake(ThreadingHTTPServer):
    """A server that gives prepared responses, the last one again and again."""

    daemon_threads = True

    def __init__(self, steps: list[dict[str, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), FakeHandler)
        self.steps = steps
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class FakeHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def answer(self) -> None:
        fake = self.server
        assert isinstance(fake, Fake)
        text = self.rfile.read(int(self.headers.get("content-length", 0)))
        parts = urlsplit(self.path)
        with fake.lock:
            step = fake.steps[min(len(fake.requests), len(fake.steps) - 1)]
            fake.requests.append(
                {
                    "method": self.command,
                    "path": parts.path,
                    "query": dict(parse_qsl(parts.query)),
                    "headers": {name.lower(): value for name, value in self.headers.items()},
                    "text": text.decode(),
                    "port": self.client_address[1],
                }
            )
        self.close_connection = step.get("cut", False) or step.get("drop", False)
        if step.get("silent"):  # until the client has had enough
            self.connection.settimeout(60)
            self.rfile.read(1)
            self.close_connection = True
        if step.get("drop") or step.get("silent"):
            return
        body = envelope(step)
        self.send_response_only(step.get("status", 200))
        for name, value in step.get("headers", {}).items():
            self.send_header(name, value)
        if step.get("status") != 304:
            self.send_header("Content-Length", "1000" if step.get("cut") else str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_DELETE = answer

    def log_message(self, format: str, *args: object) -> None:
        pass


def called(client: Any, one: dict[str, Any], call: platen.Call) -> Any:
    """Call a client as the script says."""
    operation = one["operation"]
    named = {**one.get("in", {}), **one.get("query", {}), "call": call}
    if "key" in one:
        named["idempotency_key"] = one["key"]
    if "if_match" in one:
        named["if_match"] = one["if_match"]
    if "if_none_match" in one:
        named["if_none_match"] = one["if_none_match"]
    if one.get("all"):
        operation = "events_where" if operation == "list_events" else operation.removeprefix("list_")
    return getattr(client, operation)(*one.get("ids", []), **named)


class Play:
    """Makes the calls of a case with one of the two clients."""

    def __init__(self, case: dict[str, Any], server: Fake) -> None:
        self.case, self.server = case, server
        self.now = BEGAN
        self.slept: list[float] = []
        self.items: list[str] = []
        self.call = platen.Call()
        self.result: Any = None
        self.failed: Exception | None = None
        self.at = 0

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)

    async def async_sleep(self, seconds: float) -> None:
        self.sleep(seconds)

    def client(self, make: Callable[..., Any], sleep: Callable[..., Any]) -> Any:
        keys = platen.Keys(**self.case.get("keys", {"office": "lab_off_test", "factory": "lab_fac_test"}))
        return make(self.server.url, keys, now=lambda: self.now, sleep=sleep, **self.case.get("options", {}))

    def of(self, client: Any, sandbox: Any, one: dict[str, Any]) -> Any:
        return {None: client, "sandbox": sandbox and sandbox.client, "grader": sandbox and sandbox.grader}[one.get("on")]

    def blocking(self) -> None:
        client, sandbox = self.client(platen.Client, self.sleep), None
        try:
            for self.at, one in enumerate(self.case["calls"]):
                self.result = called(self.of(client, sandbox, one), one, self.call)
                if one.get("all"):
                    for item in self.result:
                        self.items.append(item["id"])
                if one["operation"] == "create_sandbox":
                    sandbox = self.result
        except Exception as error:
            self.failed = error
        client.close()

    async def in_a_loop(self) -> None:
        client, sandbox = self.client(platen.AsyncClient, self.async_sleep), None
        try:
            for self.at, one in enumerate(self.case["calls"]):
                result = called(self.of(client, sandbox, one), one, self.call)
                if one.get("all"):
                    async for item in result:
                        self.items.append(item["id"])
                    continue
                self.result = await result
                if one["operation"] == "create_sandbox":
                    sandbox = self.result
        except Exception as error:
            self.failed = error
        await client.close()


class ScriptTest(unittest.TestCase):
    maxDiff = None

    def play(self, case: dict[str, Any], how: str) -> None:
        server = Fake(case["responses"])
        play = Play(case, server)
        try:
            if how == "blocking":
                play.blocking()
            else:
                asyncio.run(play.in_a_loop())
        finally:
            server.shutdown()
            server.server_close()
        if play.failed:
            self.assertEqual(play.at, len(case["calls"]) - 1, repr(play.failed))
        self.check(case["want"], play, server.requests)

    def check(self, want: dict[str, Any], play: Play, requests: list[dict[str, Any]]) -> None:
        self.failure(want.get("error"), play.failed)
        if "slept" in want:
            self.assertEqual(play.slept, want["slept"])
        if "drawn" in want:
            self.assertEqual(len(play.slept), len(want["drawn"]))
            for seconds, limit in zip(play.slept, want["drawn"], strict=True):
                self.assertTrue(0 <= seconds <= limit, f"{seconds} of {limit}")
        if "items" in want:
            self.assertEqual(play.items, want["items"])
        if "data" in want:
            self.holds(getattr(play.result, "data", play.result), want["data"])
        for what, value in (("page", play.result), ("call", play.call)):
            for name, wanted in want.get(what, {}).items():
                self.assertEqual(getattr(value, name), wanted, name)
        if isinstance(want.get("requests"), int):
            self.assertEqual(len(requests), want["requests"])
        elif "requests" in want:
            self.assertEqual(len(requests), len(want["requests"]), requests)
            for got, one in zip(requests, want["requests"], strict=True):
                one = dict(one)
                for name, value in one.pop("headers", {}).items():
                    self.assertEqual(got["headers"].get(name), value, name)
                if "body" in one:
                    self.assertEqual(json.loads(got["text"]), one.pop("body"))
                self.holds(got, one)
        if "same_keys" in want:
            sent = [request["headers"].get("idempotency-key") for request in requests]
            self.assertEqual(len(sent), len(want["same_keys"]))
            for i, like in enumerate(want["same_keys"]):
                self.assertEqual(sent[i] is None, like is None, f"request {i} has the key {sent[i]}")
                if like is not None:
                    self.assertTrue(20 <= len(sent[i] or "") <= 64)
                    self.assertEqual([key == sent[i] for key in sent], [other == like for other in want["same_keys"]])
        if "proof" in want:
            proof = requests[want["proof"]["request"]]["headers"]["sim-pow"]
            challenge, _, nonce = proof.rpartition(".")
            self.assertEqual(challenge, want["proof"]["challenge"])
            digest = int.from_bytes(hashlib.sha256((challenge + nonce).encode()).digest(), "big")
            self.assertLess(digest, 1 << (256 - want["proof"]["difficulty"]))

    def holds(self, got: Any, want: dict[str, Any]) -> None:
        self.assertEqual({name: got.get(name) for name in want}, want)

    def failure(self, want: dict[str, Any] | None, failed: Exception | None) -> None:
        if want is None:
            self.assertIsNone(failed)
            return
        kinds = {"network": platen.NetworkError, "no_key": platen.NoKeyError, "not_modified": platen.NotModified}
        kind = want.get("kind", "api")
        if kind == "other":
            self.assertIsInstance(failed, platen.PlatenError)
            self.assertNotIsInstance(failed, (platen.ApiError, platen.NetworkError))
        else:
            self.assertIsInstance(failed, kinds.get(kind, platen.ApiError))
        if "says" in want:
            self.assertRegex(str(failed), want["says"])
        for name, value in want.items():
            if name not in ("kind", "says"):
                self.assertEqual(getattr(failed, name), value, name)


def _add(case: dict[str, Any], how: str) -> None:
    name = "test_" + re.sub(r"\W+", "_", case["name"]) + "_" + how
    setattr(ScriptTest, name, lambda self: self.play(case, how))


for _case in SCRIPT["cases"]:
    for _how in ("blocking", "asyncio"):
        _add(_case, _how)
