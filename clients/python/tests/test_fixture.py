"""The fixture, with the program that PLATEN_BIN names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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

    def test_a_program_that_is_not_there_is_told(self) -> None:
        with self.assertRaisesRegex(FileNotFoundError, "PLATEN_BIN"):
            fixture.start("/nowhere/platen")
        with self.assertRaisesRegex(RuntimeError, "no-such-flag"):
            fixture.start(args=["--no-such-flag"])

    def ended(self, origin: str, folder: str) -> bool:
        for _ in range(500):
            try:
                urllib.request.urlopen(origin + "/readyz", timeout=5).close()
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
