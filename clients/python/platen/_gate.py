"""A gate for tests of an integration, by its exactly-once score: the same as RequireExactlyOnce in Go."""

from __future__ import annotations

import math
from contextlib import suppress
from datetime import date, timedelta

from . import _types as t
from ._client import Client, Sandbox

# Six calendar days have at least four working days: then everything that was due is judged.
_SETTLE_DAYS = 6
# The longest tick.
_SETTLE_MINUTES = 4800
# The most reasons that a message names.
_MOST_REASONS = 12


def require_exactly_once(
    sandbox: Sandbox, *, carried: float = 1, client: float = 1, min_due: int = 1, min_hit: int = 0
) -> None:
    """Raise AssertionError unless the program under test has carried everything that was due by now exactly once, and,
    where faults were asked for, has recovered each write that they hit itself.

    Call it when the program has nothing left to do: time passes in a fork, and the sandbox stays as it is.

    carried: the least exactly_once; 0 demands none.
    client: the least client, where faults were asked for; 0 demands none.
    min_due: the least number of obligations that were due.
    min_hit: the least number of writes that a fault hit, where faults were asked for.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    for name, value in (("carried", carried), ("client", client), ("min_due", min_due), ("min_hit", min_hit)):
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"platen: {name} of a gate must be a number of at least 0")
    faulty, score, findings = _settle(sandbox.client)
    if not faulty:
        client, min_hit = 0, 0
    if missed := _check(score, findings, carried, client, min_due, min_hit):
        raise AssertionError("platen: " + "; ".join(missed))


def _settle(client: Client) -> tuple[bool, t.Integration, list[t.Finding]]:
    """Judge what was due by now in a fork in which time passes. The sandbox itself does not change."""
    planned = client.get_sandbox()["faults"]
    fork = client.fork_sandbox().client
    try:
        score, findings = _pass(fork)
    except BaseException:
        with suppress(Exception):  # the first error says more
            fork.delete_sandbox()
        raise
    fork.delete_sandbox()
    return bool(planned or client.list_faults(limit=1).items), score, findings


def _pass(fork: Client) -> tuple[t.Integration, list[t.Finding]]:
    """Let time pass in a fork, and keep the findings that had begun before."""
    clock = fork.get_sandbox()["clock"]
    if clock["mode"] != "manual":
        fork.update_sandbox(clock="manual")
    today = clock["sim_date"]
    until = date.fromisoformat(today) + timedelta(days=_SETTLE_DAYS)
    fork.advance_time(minutes=_SETTLE_MINUTES, until={"sim_date": until.isoformat()})
    score = fork.get_integration()
    if score["bridge"] != "manual":
        return score, []
    return score, [f for f in fork.integration_findings() if f["since_on"] <= today]  # both are YYYY-MM-DD


def _check(
    score: t.Integration, findings: list[t.Finding], carried: float, client: float, min_due: int, min_hit: int
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
        missed.append(f"{name} is null: {none}" if got is None else f"{name} is {_short(got)}, less than {_short(least)}")

    demand("exactly_once", once, carried, "nothing was due")
    demand("client", score["client"], client, "no injected fault has hit a write of your program")
    if due < min_due:
        missed.append(f"{due} due, fewer than {min_due}")
    if score["hit"] < min_hit:
        missed.append(f"{score['hit']} writes hit by a fault, fewer than {min_hit}")
    if not missed:
        return []
    reasons = [f"{f['verdict']}: {f['message']}" for f in findings if f["verdict"] != "exact"]
    reasons += [f"{u['outcome']}: {u['message']}" for u in score["unrecovered"]]
    return (missed + reasons)[: max(_MOST_REASONS, len(missed))]


def _short(score: float) -> str:
    """A score with three decimals, never rounded up."""
    return f"{math.floor(score * 1000) / 1000:g}"
