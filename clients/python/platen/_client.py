"""The client that blocks."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any, Self, TypeVar, cast

from . import _types as t
from ._core import (
    MOST_PER_PAGE,
    POLL_S,
    WAIT_S,
    Call,
    Core,
    Keys,
    Options,
    Page,
    Pager,
    Prove,
    Request,
    Response,
    Send,
    Sleep,
    Steps,
    Wait,
    given,
    prove,
)
from ._errors import PlatenError, Stopped
from ._feed import Checkpoint
from ._operations import Operations
from ._transport import Transport

T = TypeVar("T")


class Sandbox:
    """A new sandbox. No other response shows its keys."""

    def __init__(self, data: Mapping[str, Any], client: Client) -> None:
        #: The response as it came.
        self.data = cast(t.NewSandbox, data)
        self.sandbox_id: str = data["sandbox_id"]
        self.public_name: str = data.get("public_name", "")
        self.expires_at: str = data.get("expires_at", "")
        #: Where a fork comes from: sandbox_id and seq; None for a sandbox that is none.
        self.forked_from: t.ForkedFrom | None = data.get("forked_from")
        self.keys = Keys(data.get("office_key", ""), data.get("factory_key", ""), data.get("grading_key", ""))
        #: A client with the keys of the sandbox, and the options that it was created with.
        self.client = client.with_keys(self.keys)

    @property
    def grader(self) -> Client:
        """A client with the grading key alone: what it reads leaves no trace."""
        return self.client.with_keys(Keys(grading=self.keys.grading))

    def __repr__(self) -> str:
        return f"Sandbox({self.sandbox_id}, {self.public_name})"


class Client(Operations):
    """Calls the API with the keys of a sandbox. It is safe for use by several threads.

    The options are the fields of Options, by their names.
    """

    def __init__(self, base_url: str, keys: Keys | None = None, **options: Any) -> None:
        chosen = Options(**options)
        self._core = Core(base_url, keys or Keys(), chosen)
        self._transport = Transport(self._core.base, chosen)

    @property
    def base_url(self) -> str:
        return self._core.base

    def with_keys(self, keys: Keys, **options: Any) -> Client:
        """The same client with other keys, and with other options where they are given."""
        other = Client.__new__(Client)
        other._core = Core(self._core.base, keys, replace(self._core.options, **options))
        other._transport = Transport(other._core.base, other._core.options) if options else self._transport
        return other

    def close(self) -> None:
        """Close the connections that are kept. The client can be used again."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait_for_request(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        operation: str | None = None,
        status: str | None = None,
        after: str | None = None,
        timeout_s: float = WAIT_S,
    ) -> t.LoggedCall:
        """Wait until the sandbox has had a request that fits, and return it.

        A test waits so for the program that it tests. It is the oldest of the newest 100 that fit; after, the
        request_id of any response, begins behind that request. Raises TimeoutError when none has come in time.
        """
        until = self._now() + timeout_s
        while True:
            left = max(0, ceil(until - self._now()))
            page = self.list_requests(
                method=method, path=path, operation=operation, status=status, after=after, limit=MOST_PER_PAGE,
                wait_s=min(POLL_S, left),
            )
            if page.items:
                return page.items[-1]
            if self._now() >= until:
                raise TimeoutError(f"no request that fits came within {timeout_s} s")

    def events(
        self,
        *,
        after: int | None = None,
        checkpoint: Checkpoint | None = None,
        types: Sequence[t.EventType] | None = None,
        system: t.EventSystem | None = None,
        wait_s: int = 20,
        follow: bool = True,
        limit: int = MOST_PER_PAGE,
    ) -> Iterator[t.FeedEvent]:
        """Follow the feed: every event after a number, and then those that come.

        A checkpoint is asked where to begin, and told of an event when the loop asks for the next one, which is after
        the effect of this one. So each event is handled at least once, and none is lost: one whose handling was cut
        short comes again, also the one that a break left. The loop outlives outages of the server; without follow it
        ends at the newest event.
        """
        seq = after if after is not None else checkpoint.load() if checkpoint else 0
        failures = 0
        while True:
            chosen = given({"types": types, "system": system, "limit": limit})
            try:
                if follow:
                    page = self.poll_events(after_seq=seq, wait_s=wait_s, **chosen)
                else:
                    page = self.list_events(after_seq=seq, **chosen)
                failures = 0
            except PlatenError as error:
                if not follow or not self._core.again(error):
                    raise
                failures += 1
                wait = self._core.delay(error, failures)
                self._core.options.on_wait(Wait("poll_events", wait, error))
                self._sleep(wait)
                continue
            for event in page.items:
                yield event
                seq = _passed(checkpoint, seq, event["seq"])
            if page.next_cursor:
                continue
            seq = _passed(checkpoint, seq, page.last_seq)  # events of other types need not be looked at again
            if not follow:
                return

    def do(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Response:
        """Send a request that no method covers, once, and return the response as it came."""
        return self._transport.send(self._core.raw(method, path, body, headers or {}, idempotency_key))

    # The base of the operations' methods.

    def _read(self, request: Request, call: Call | None) -> Any:
        return self._drive(self._core.call(request, call or Call(), self._now))

    def _write(self, request: Request, call: Call | None) -> Any:
        return self._drive(self._core.call(replace(request, write=True), call or Call(), self._now))

    def _create(self, request: Request, call: Call | None) -> Any:
        return Sandbox(self._drive(self._core.create(request, call or Call(), self._now)), self)

    def _look(self, request: Request, call: Call | None) -> Any:
        call = call or Call()
        data = self._read(request, call)
        return data if call.status == 202 else Sandbox(data, self)

    def _page(self, request: Request, call: Call | None) -> Page[Any]:
        return self._drive(self._core.page(request, call or Call(), self._now))

    def _all(self, request: Request, call: Call | None) -> Iterator[Any]:
        pager = Pager(request)
        while not pager.done:
            try:
                page = self._page(pager.request, call)
            except PlatenError as error:
                pager.lost(error)
                continue
            yield from pager.turn(page)

    def _drive(self, steps: Steps[T]) -> T:
        """Do what a call asks for until it ends."""
        result: Any = None
        failed: Exception | None = None
        while True:
            try:
                step = steps.throw(failed) if failed else steps.send(result)
            except StopIteration as ended:
                return ended.value
            result, failed = None, None
            try:
                result = self._do(step)
            except PlatenError as error:
                failed = error

    def _do(self, step: Send | Sleep | Prove) -> Any:
        stop = self._core.options.stop
        if stop is not None and stop.is_set():
            raise Stopped("the client was stopped")
        match step:
            case Send():
                return self._transport.send(step)
            case Sleep():
                return self._sleep(step.seconds)
            case Prove():
                proof = prove(step.challenge, step.difficulty, stop.is_set if stop is not None else lambda: False)
                if not proof:
                    raise Stopped("the client was stopped")
                return proof

    def _now(self) -> float:
        now = self._core.options.now
        return time.time() if now is None else now()

    def _sleep(self, seconds: float) -> None:
        options = self._core.options
        if options.sleep is not None:
            options.sleep(seconds)
            return
        stop = options.stop if options.stop is not None else threading.Event()
        if stop.wait(seconds):
            raise Stopped("the client was stopped")


def _passed(checkpoint: Checkpoint | None, seq: int, number: int) -> int:
    if number <= seq:
        return seq
    if checkpoint:
        checkpoint.save(number)
    return number


def create_sandbox(base_url: str, **fields_and_options: Any) -> Sandbox:
    """Create a sandbox without a client.

    The fields are those of Client.create_sandbox, such as preset, seed, bridge and clock; the options are those of
    a client.
    """
    options, fields = _split(fields_and_options)
    return Client(base_url, **options).create_sandbox(**fields)


def _split(both: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    names = Options.__dataclass_fields__
    options = {name: value for name, value in both.items() if name in names}
    return options, {name: value for name, value in both.items() if name not in names}


