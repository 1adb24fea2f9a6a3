"""The fixture, with the program that PLATEN_BIN names."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import platen
from platen import fixture

BINARY = shutil.which(os.environ.get("PLATEN_BIN") or "platen")
FORKS = 50 if os.environ.get("PLATEN_TEST_THOROUGH") else 10
PACKAGE = Path(__file__).parents[1]
CRASHING = """
import json, sys, time
from platen import fixture
server = fixture.start()
print(json.dumps([server.origin, server._folder]), flush=True)
time.sleep(float(sys.argv[1]))
"""


@unittest.skipUnless(BINARY, "SKIPPED: PLATEN_BIN names no program")
class FixtureTest(fixture.PlatenCase, unittest.TestCase):
    sandbox_fields = {"preset": "starter", "seed": 4}

    @classmethod
    def prepare(cls, sandbox: platen.Sandbox) -> None:
        sandbox.client.advance_time()

    def one(self, n: int) -> None:
        client = self.fork().client
        order = next(iter(client.sales_orders(status="received", limit=5)))
        client.decline_sales_order(order["id"], reason=f"test {n}")
        self.assertEqual(client.get_sales_order(order["id"])["decline_reason"], f"test {n}")
        client.advance_time(minutes=60 * (n % 8) or 1)

    def test_many_tests_with_a_fork_each(self) -> None:
        began = time.monotonic()
        with ThreadPoolExecutor(10) as pool:
            list(pool.map(self.one, range(FORKS)))
        print(f"{FORKS} tests with forks took {(time.monotonic() - began) * 1000:.0f} ms", file=sys.stderr)

    def test_a_fork_begins_where_the_sandbox_was_prepared(self) -> None:
        def day(sandbox: platen.Sandbox) -> int:
            return sandbox.client.get_sandbox()["clock"]["day_number"]

        self.assertEqual([day(self.fork()), day(self.fork("start")), day(self.platen.sandbox())], [1, 0, 0])
        self.assertEqual([day(self.fork(sim_date="2026-09-07")), day(self.fork(seq=1))], [0, 0])

    def test_a_program_that_is_not_there_is_told(self) -> None:
        with self.assertRaisesRegex(FileNotFoundError, "PLATEN_BIN"):
            fixture.start("/nowhere/platen")
        with self.assertRaisesRegex(RuntimeError, "no-such-flag"):
            fixture.start(args=["--no-such-flag"])

    def ended(self, origin: str, folder: str) -> bool:
        parts = urlsplit(origin)
        for _ in range(500):
            try:
                with socket.create_connection((parts.hostname, parts.port), timeout=5):
                    pass
            except OSError:
                if not Path(folder).exists():
                    return True
            time.sleep(0.02)
        return False

    def test_the_server_ends_with_tests_that_crash_and_its_database_with_it(self) -> None:
        import json

        for seconds, kill in (("60", True), ("0", False)):
            argv = [sys.executable, "-B", "-c", CRASHING, seconds]
            with subprocess.Popen(argv, cwd=PACKAGE, stdout=subprocess.PIPE) as child:
                assert child.stdout
                origin, folder = json.loads(child.stdout.readline())
                if kill:
                    child.kill()
            self.assertTrue(self.ended(origin, folder), "it still responds, or its folder is there")

    def test_the_server_starts_behind_a_proxy(self) -> None:
        nowhere = {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9", "NO_PROXY": "", "no_proxy": ""}
        script = "from platen import fixture; fixture._PATIENCE_S = 10; fixture.start().stop()"
        argv = [sys.executable, "-B", "-c", script]
        subprocess.run(argv, cwd=PACKAGE, env=os.environ | nowhere, check=True)

    if "fork" in multiprocessing.get_all_start_methods():

        def test_the_server_stops_while_a_forked_process_lives(self) -> None:
            server = fixture.start()
            child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,))
            child.start()
            try:
                stop = threading.Thread(target=server.stop, daemon=True)
                stop.start()
                stop.join(60)
                self.assertFalse(stop.is_alive(), "stop waits for the child")
                self.assertTrue(self.ended(server.origin, server._folder))
            finally:
                child.kill()
                child.join()

        def test_a_forked_process_cannot_stop_the_server(self) -> None:
            with fixture.start() as server:
                child = multiprocessing.get_context("fork").Process(target=server.stop)
                child.start()
                child.join(60)
                self.assertEqual(child.exitcode, 0)
                self.assertTrue(Path(server._folder).exists())
                server.sandbox()

        def test_nothing_is_left_of_a_server_that_ended_by_itself(self) -> None:
            with fixture.start() as server:
                for pid, args in self.processes(server._folder):
                    if not args.startswith("/bin/sh"):
                        os.kill(pid, signal.SIGKILL)
                self.assertTrue(self.ended(server.origin, server._folder))
                deadline = time.monotonic() + 60
                while left := self.processes(server._folder):
                    self.assertLess(time.monotonic(), deadline, left)
                    time.sleep(0.02)

    def processes(self, folder: str) -> list[tuple[int, str]]:
        """The processes whose command names a folder."""
        listed = subprocess.run(["ps", "-A", "-o", "pid=", "-o", "args="], capture_output=True, text=True, check=True)
        lines = (line.split(None, 1) for line in listed.stdout.splitlines() if folder in line)
        return [(int(pid), args) for pid, args in lines]
