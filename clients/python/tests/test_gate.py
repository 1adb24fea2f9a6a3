"""The gate tells programs apart, each of which carries one order over a lost response, or does not."""

from __future__ import annotations

import asyncio
import os
import shutil
import unittest
from contextlib import suppress
from unittest import mock

import platen
from platen import fixture

BINARY = shutil.which(os.environ.get("PLATEN_BIN") or "platen")


def carry(sandbox: platen.Sandbox, fault: platen.types.FaultKind | None, *keys: str) -> None:
    """Take an order to the Factory, once for each key, whatever comes back."""
    order = sandbox.client.accept_sales_order("SO-1001")
    if fault:
        sandbox.client.inject_fault(kind=fault)
    for key in keys:
        with suppress(platen.PlatenError):
            sandbox.client.create_work_order(
                sku=order["sku"], quantity=order["quantity"], reference=order["id"], idempotency_key=key
            )


@unittest.skipUnless(BINARY, "SKIPPED: PLATEN_BIN names no program")
class GateTest(fixture.PlatenCase, unittest.TestCase):
    sandbox_fields = {"preset": "manual", "max_retries": 0}

    def judge(self, fails: str, fault: platen.types.FaultKind | None, *keys: str) -> None:
        sandbox = self.fork()
        carry(sandbox, fault, *keys)
        began = sandbox.client.get_sandbox()["clock"]["sim_time"]
        if fails:
            with self.assertRaisesRegex(AssertionError, fails):
                fixture.require_exactly_once(sandbox)
        else:
            fixture.require_exactly_once(sandbox)
        self.assertEqual(sandbox.client.get_sandbox()["clock"]["sim_time"], began)

    def test_carried(self) -> None:
        self.judge("", None, "order-1")

    def test_not_carried(self) -> None:
        self.judge("^platen: exactly_once is 0.000, less than 1\nmissed: .*SO-1001", None)

    def test_the_same_key(self) -> None:
        self.judge("", "response_lost", "order-1", "order-1")

    def test_a_new_key_each_time(self) -> None:
        self.judge("^platen: client is 0.000, less than 1\nsaved: ", "response_lost", "order-1", "order-2")

    def test_lost_and_let_be(self) -> None:
        fails = "^platen: exactly_once is 0.000, less than 1\nclient is 0.000, less than 1\n"
        self.judge(fails, "request_lost", "order-1")

    def test_no_fault_was_met(self) -> None:
        fails = "^platen: client is null: no injected fault has hit a write of your program$"
        self.judge(fails, "webhook_twice", "order-1")

    def test_a_gate_can_ask_for_less_and_for_more(self) -> None:
        sandbox = self.platen.sandbox(preset="manual", clock="realtime", max_retries=0)
        carry(sandbox, None, "order-1", "order-2")
        fixture.require_exactly_once(sandbox, carried=0, min_hit=9)  # no faults were asked for
        with self.assertRaisesRegex(AssertionError, "1 due, fewer than 7"):
            fixture.require_exactly_once(sandbox, min_due=7)
        fixture.require_exactly_once(sandbox, carried=0, manners=0.5)
        with self.assertRaisesRegex(AssertionError, r"manners is 0\.666, less than 0\.9"):
            fixture.require_exactly_once(sandbox, carried=0, manners=0.9)
        sandbox.client.inject_fault(kind="webhook_twice")
        fixture.require_exactly_once(sandbox, carried=0, client=0)
        with self.assertRaisesRegex(AssertionError, "0 writes hit by a fault, fewer than 3"):
            fixture.require_exactly_once(sandbox, min_hit=3)
        with self.assertRaises(ValueError):
            fixture.require_exactly_once(sandbox, carried=float("nan"))

    def test_a_gate_leaves_no_fork_behind_and_none_passes_where_nothing_was_due(self) -> None:
        sandbox = self.platen.sandbox(preset="starter")
        made: list[platen.Sandbox] = []
        fork = platen.Client.fork_sandbox

        def spy(client: platen.Client) -> platen.Sandbox:
            made.append(fork(client))
            return made[-1]

        fails = "exactly_once is null: nothing was due\n0 due, fewer than 1"
        with mock.patch.object(platen.Client, "fork_sandbox", spy), self.assertRaisesRegex(AssertionError, fails):
            fixture.require_exactly_once(sandbox)
        self.assertEqual(len(made), 1)
        with self.assertRaises(platen.ApiError):
            made[0].client.get_sandbox()


async def carry_async(sandbox: platen.AsyncSandbox, fault: platen.types.FaultKind | None, *keys: str) -> None:
    """The same as carry."""
    order = await sandbox.client.accept_sales_order("SO-1001")
    if fault:
        await sandbox.client.inject_fault(kind=fault)
    for key in keys:
        with suppress(platen.PlatenError):
            await sandbox.client.create_work_order(
                sku=order["sku"], quantity=order["quantity"], reference=order["id"], idempotency_key=key
            )


@unittest.skipUnless(BINARY, "SKIPPED: PLATEN_BIN names no program")
class AsyncGateTest(fixture.PlatenCase, unittest.IsolatedAsyncioTestCase):
    """The gate of the asynchronous client says the same."""

    sandbox_fields = {"preset": "manual"}

    async def forked(self) -> platen.AsyncSandbox:
        async with platen.AsyncClient(self.base.client.base_url, self.base.keys, max_retries=0) as client:
            return await client.fork_sandbox()

    async def judge(self, fails: str, fault: platen.types.FaultKind | None, *keys: str) -> None:
        sandbox = await self.forked()
        await carry_async(sandbox, fault, *keys)
        began = (await sandbox.client.get_sandbox())["clock"]["sim_time"]
        blocking = platen.Sandbox(sandbox.data, platen.Client(sandbox.client.base_url, sandbox.keys))
        if fails:
            with self.assertRaisesRegex(AssertionError, fails) as raised:
                await fixture.require_exactly_once_async(sandbox)
            with self.assertRaises(AssertionError) as other:
                await asyncio.to_thread(fixture.require_exactly_once, blocking)
            self.assertEqual(str(raised.exception), str(other.exception))
            self.assertIsNone(raised.exception.__context__)  # a report of pytest shows nothing else
            self.assertIsNone(other.exception.__context__)
        else:
            await fixture.require_exactly_once_async(sandbox)
            await asyncio.to_thread(fixture.require_exactly_once, blocking)
        self.assertEqual((await sandbox.client.get_sandbox())["clock"]["sim_time"], began)

    async def test_carried(self) -> None:
        await self.judge("", None, "order-1")

    async def test_not_carried(self) -> None:
        await self.judge("^platen: exactly_once is 0.000, less than 1\nmissed: .*SO-1001", None)

    async def test_the_same_key(self) -> None:
        await self.judge("", "response_lost", "order-1", "order-1")

    async def test_a_new_key_each_time(self) -> None:
        await self.judge("^platen: client is 0.000, less than 1\nsaved: ", "response_lost", "order-1", "order-2")

    async def test_a_gate_can_ask_for_less_and_for_more(self) -> None:
        sandbox = await self.forked()
        await carry_async(sandbox, "response_lost", "order-1", "order-2")
        await fixture.require_exactly_once_async(sandbox, client=0, min_hit=1)
        with self.assertRaisesRegex(AssertionError, "1 due, fewer than 7\n1 writes hit by a fault, fewer than 9"):
            await fixture.require_exactly_once_async(sandbox, client=0, min_due=7, min_hit=9)
        with self.assertRaises(ValueError):
            await fixture.require_exactly_once_async(sandbox, min_hit=-1)

    async def test_a_gate_that_is_cancelled_leaves_no_fork_behind(self) -> None:
        sandbox = await self.forked()
        made: list[platen.AsyncSandbox] = []
        began = asyncio.Event()
        fork = platen.AsyncClient.fork_sandbox

        async def spy(client: platen.AsyncClient) -> platen.AsyncSandbox:
            made.append(await fork(client))
            return made[-1]

        async def stuck(*_: object, **__: object) -> None:
            began.set()
            await asyncio.Event().wait()

        with (
            mock.patch.object(platen.AsyncClient, "fork_sandbox", spy),
            mock.patch.object(platen.AsyncClient, "advance_time", stuck),
        ):
            gate = asyncio.create_task(fixture.require_exactly_once_async(sandbox))
            await began.wait()
            gate.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await gate
        self.assertEqual(len(made), 1)
        with self.assertRaises(platen.ApiError):
            await made[0].client.get_sandbox()
