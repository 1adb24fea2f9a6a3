"""A gate for tests of an integration, by its exactly-once score: the same as RequireExactlyOnce in Go."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import suppress
from datetime import date, timedelta
from typing import Any

from . import _types as t
from ._async_client import AsyncSandbox
from ._client import Sandbox

# Six calendar days have at least four working days: then everything that was due is judged.
_SETTLE_DAYS = 6
# The longest tick.
_SETTLE_MINUTES = 4800
# The most reasons that a message names.
_MOST_REASONS = 12

# A settlement yields its calls one after the other, and is given their results: so a client that blocks and one of an
# event loop have one gate.
_Settled = tuple[bool, t.Integration, list[t.Finding]]
_Steps = Generator[Callable[[], Any], Any, _Settled]


def require_exactly_once(
    sandbox: Sandbox, *, carried: float = 1, client: float = 1, manners: float = 0, min_due: int = 1, min_hit: int = 0
) -> None:
    """Raise AssertionError unless the program under test has carried everything that was due by now exactly once, and,
    where faults were asked for, has recovered each write that they hit itself.

    Call it when the program has nothing left to do: time passes in a fork, and the sandbox stays as it is.

    carried: the least exactly_once; 0 demands none.
    client: the least client, where faults were asked for; 0 demands none.
    manners: the least part of the requests without a harmless mistake: early, a refused write, an unchanged read.
    min_due: the least number of obligations that were due.
    min_hit: the least number of writes that a fault hit, where faults were asked for.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    _demands(carried, client, manners, min_due, min_hit)
    steps, result, failed = _settle(sandbox.client, list), None, None
    while True:
        try:
            step = steps.throw(failed) if failed else steps.send(result)
        except StopIteration as ended:
            settled = ended.value
            break
        result, failed = None, None
        try:
            result = step()
        except BaseException as error:
            failed = error
    _judge(settled, carried, client, manners, min_due, min_hit)


async def require_exactly_once_async(
    sandbox: AsyncSandbox,
    *,
    carried: float = 1,
    client: float = 1,
    manners: float = 0,
    min_due: int = 1,
    min_hit: int = 0,
) -> None:
    """The same as require_exactly_once, for the sandbox of an AsyncClient."""
    __tracebackhide__ = True
    _demands(carried, client, manners, min_due, min_hit)
    steps, result, failed = _settle(sandbox.client, _whole), None, None
    while True:
        try:
            step = steps.throw(failed) if failed else steps.send(result)
        except StopIteration as ended:
            settled = ended.value
            break
        result, failed = None, None
        try:
            result = await step()
        except BaseException as error:
            failed = error
    _judge(settled, carried, client, manners, min_due, min_hit)


def _demands(carried: float, client: float, manners: float, min_due: int, min_hit: int) -> None:
    """Refuse demands that mean nothing."""
    demands = {"carried": carried, "client": client, "manners": manners, "min_due": min_due, "min_hit": min_hit}
    for name, value in demands.items():
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"platen: {name} of a gate must be a number of at least 0")


def _judge(
    settled: _Settled, carried: float, client: float, manners: float, min_due: int, min_hit: int
) -> None:
    __tracebackhide__ = True
    faulty, score, findings = settled
    if not faulty:
        client, min_hit = 0, 0
    if missed := _check(score, findings, carried, client, manners, min_due, min_hit):
        raise AssertionError("platen: " + "\n".join(missed))


def _settle(client: Any, whole: Callable[[Any], Any]) -> _Steps:
    """Judge what was due by now in a fork in which time passes. The sandbox itself does not change."""
    planned = (yield client.get_sandbox)["faults"]
    fork = (yield client.fork_sandbox).client
    try:
        score, findings = yield from _pass(fork, whole)
    except BaseException:
        with suppress(Exception):  # the first error says more
            yield fork.delete_sandbox
        raise
    yield fork.delete_sandbox
    injected = yield lambda: client.list_faults(limit=1)
    return bool(planned or injected.items), score, findings


def _pass(
    fork: Any, whole: Callable[[Any], Any]
) -> Generator[Callable[[], Any], Any, tuple[t.Integration, list[t.Finding]]]:
    """Let time pass in a fork, and keep the findings that had begun before."""
    clock = (yield fork.get_sandbox)["clock"]
    if clock["mode"] != "manual":
        yield lambda: fork.update_sandbox(clock="manual")
    today = clock["sim_date"]
    until = {"sim_date": (date.fromisoformat(today) + timedelta(days=_SETTLE_DAYS)).isoformat()}
    yield lambda: fork.advance_time(minutes=_SETTLE_MINUTES, until=until)
    score = yield fork.get_integration
    if score["bridge"] != "manual":
        return score, []
    findings = yield lambda: whole(fork.integration_findings())
    return score, [f for f in findings if f["since_on"] <= today]  # both are YYYY-MM-DD


async def _whole(items: AsyncIterator[t.Finding]) -> list[t.Finding]:
    return [item async for item in items]


def _check(
    score: t.Integration,
    findings: list[t.Finding],
    carried: float,
    client: float,
    manners: float,
    min_due: int,
    min_hit: int,
) -> list[str]:
    """Name each demand that is not met, and why. A score that is None meets none: a program to which nothing happened
    has proven nothing."""

    def count(*verdicts: str) -> int:
        return sum(f["verdict"] in verdicts for f in findings)

    due = len(findings) - count("unexpected", "repeated")
    once = (count("exact") + count("late") / 2) / len(findings) if findings else None
    missed: list[str] = []

    def demand(name: str, got: float | None, least: float, none: str) -> None:
        if least <= 0 or (got is not None and got >= least):
            return
        missed.append(f"{name} is null: {none}" if got is None else f"{name} is {_short(got)}, less than {least:g}")

    demand("exactly_once", once, carried, "nothing was due")
    demand("client", score["client"], client, "no injected fault has hit a write of your program")
    demand("manners", _considerate(score["manners"]), manners, "your program has sent no request")
    if due < min_due:
        missed.append(f"{due} due, fewer than {min_due}")
    if score["hit"] < min_hit:
        missed.append(f"{score['hit']} writes hit by a fault, fewer than {min_hit}")
    if not missed:
        return []
    reasons = [f"{f['verdict']}: {f['message']}" for f in findings if f["verdict"] != "exact"]
    reasons += [f"{u['outcome']}: {u['message']}" for u in score["unrecovered"]]
    return (missed + reasons)[: max(_MOST_REASONS, len(missed))]


def _considerate(manners: t.IntegrationManners) -> float | None:
    """The part of the requests without a harmless mistake, None before the first."""
    if not manners["requests"]:
        return None
    mistakes = manners["early"] + manners["writes_refused"] + manners["unchanged_reads"]
    return max(0.0, 1 - mistakes / manners["requests"])


def _short(score: float) -> str:
    """A score with three decimals, never rounded up; 0.57 times 1000 is a little less than 570."""
    return f"{math.floor(score * 1000 + 1e-9) / 1000:.3f}"
