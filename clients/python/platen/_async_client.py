"""The client for asyncio.

The standard library has no asynchronous HTTP client, so that each attempt runs in a thread of a pool of the client's
own. Waits are those of the event loop. A call that is cancelled ends at once: the wait is cut short, and the connection
of an attempt that is under way is shut down, so that its thread ends too.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import ceil
from typing import Any, Self, TypeVar, cast

from . import _types as t
from ._async_operations import AsyncOperations
from ._client import _passed, _split
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
from ._transport import Abort, Transport, after_fork

T = TypeVar("T")

# As many attempts of a client can be under way; others wait for their turn.
_MOST_AT_ONCE = 64


class _Threads:
    """The threads of a client, and of those that with_keys makes of it."""

    def __init__(self) -> None:
        self.forked()
        after_fork(self)

    def forked(self) -> None:
        self._pool = ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="platen")

    def run(self, act: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._pool, act, *args)


class AsyncSandbox:
    """A new sandbox. No other response shows its keys."""

    def __init__(self, data: Mapping[str, Any], client: AsyncClient) -> None:
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
    def grader(self) -> AsyncClient:
        """A client with the grading key alone: what it reads leaves no trace."""
        return self.client.with_keys(Keys(grading=self.keys.grading))

    def __repr__(self) -> str:
        return f"AsyncSandbox({self.sandbox_id}, {self.public_name})"


class AsyncClient(AsyncOperations):
    """Calls the API with the keys of a sandbox, from an event loop.

    The options are the fields of Options, by their names. Attempts run in threads, and cancelling a call ends its
    attempt and its waits at once. The functions on_wait and on_exchange are called in the event loop and in those
    threads.
    """

    def __init__(self, base_url: str, keys: Keys | None = None, **options: Any) -> None:
        chosen = Options(**options)
        self._core = Core(base_url, keys or Keys(), chosen)
        self._transport = Transport(self._core.base, chosen)
        self._threads = _Threads()

    @property
    def base_url(self) -> str:
        return self._core.base

    def with_keys(self, keys: Keys, **options: Any) -> AsyncClient:
        """The same client with other keys, and with other options where they are given. Both share their threads."""
        other = AsyncClient.__new__(AsyncClient)
        other._core = Core(self._core.base, keys, replace(self._core.options, **options))
        other._transport = Transport(other._core.base, other._core.options) if options else self._transport
        other._threads = self._threads
        return other

    async def close(self) -> None:
        """Close the connections that are kept."""
        self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def wait_for_request(
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
            page = await self.list_requests(
                method=method, path=path, operation=operation, status=status, after=after, limit=MOST_PER_PAGE,
                wait_s=min(POLL_S, left),
            )
            if page.items:
                return page.items[-1]
            if self._now() >= until:
                raise TimeoutError(f"no request that fits came within {timeout_s} s")

    async def events(
        self,
        *,
        after: int | None = None,
        checkpoint: Checkpoint | None = None,
        types: Sequence[t.EventType] | None = None,
        system: t.EventSystem | None = None,
        wait_s: int = 20,
        follow: bool = True,
        limit: int = MOST_PER_PAGE,
    ) -> AsyncIterator[t.FeedEvent]:
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
                    page = await self.poll_events(after_seq=seq, wait_s=wait_s, **chosen)
                else:
                    page = await self.list_events(after_seq=seq, **chosen)
                failures = 0
            except PlatenError as error:
                if not follow or not self._core.again(error):
                    raise
                failures += 1
                wait = self._core.delay(error, failures)
                self._core.options.on_wait(Wait("poll_events", wait, error))
                await self._sleep(wait)
                continue
            for event in page.items:
                yield event
                seq = await self._passed(checkpoint, seq, event["seq"])
            if page.next_cursor:
                continue
            seq = await self._passed(checkpoint, seq, page.last_seq)  # events of other types are not looked at again
            if not follow:
                return

    async def do(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Response:
        """Send a request that no method covers, once, and return the response as it came."""
        return await self._send(self._core.raw(method, path, body, headers or {}, idempotency_key))

    # The base of the operations' methods.

    async def _read(self, request: Request, call: Call | None) -> Any:
        return await self._drive(self._core.call(request, call or Call(), self._now))

    async def _write(self, request: Request, call: Call | None) -> Any:
        return await self._drive(self._core.call(replace(request, write=True), call or Call(), self._now))

    async def _create(self, request: Request, call: Call | None) -> Any:
        return AsyncSandbox(await self._drive(self._core.create(request, call or Call(), self._now)), self)

    async def _look(self, request: Request, call: Call | None) -> Any:
        call = call or Call()
        data = await self._read(request, call)
        return data if call.status == 202 else AsyncSandbox(data, self)

    async def _page(self, request: Request, call: Call | None) -> Page[Any]:
        return await self._drive(self._core.page(request, call or Call(), self._now))

    async def _all(self, request: Request, call: Call | None) -> AsyncIterator[Any]:
        pager = Pager(request)
        while not pager.done:
            try:
                page = await self._page(pager.request, call)
            except PlatenError as error:
                pager.lost(error)
                continue
            for item in pager.turn(page):
                yield item

    async def _drive(self, steps: Steps[T]) -> T:
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
                result = await self._do(step)
            except PlatenError as error:
                failed = error

    async def _do(self, step: Send | Sleep | Prove) -> Any:
        stop = self._core.options.stop
        if stop is not None and stop.is_set():
            raise Stopped("the client was stopped")
        match step:
            case Send():
                return await self._send(step)
            case Sleep():
                return await self._sleep(step.seconds)
            case Prove():
                return await self._prove(step)

    async def _send(self, send: Send) -> Response:
        abort = Abort()
        try:
            return await self._threads.run(self._transport.send, send, abort)
        except asyncio.CancelledError:
            abort.now()
            raise

    async def _prove(self, task: Prove) -> str:
        ended = False
        try:
            return await self._threads.run(prove, task.challenge, task.difficulty, lambda: ended)
        finally:
            ended = True

    def _now(self) -> float:
        now = self._core.options.now
        return time.time() if now is None else now()

    async def _sleep(self, seconds: float) -> None:
        options = self._core.options
        if options.sleep is not None:
            await options.sleep(seconds)
            return
        if not isinstance(options.stop, asyncio.Event):
            await asyncio.sleep(seconds)
            return
        try:
            await asyncio.wait_for(options.stop.wait(), seconds)
        except TimeoutError:
            return
        raise Stopped("the client was stopped")

    async def _passed(self, checkpoint: Checkpoint | None, seq: int, number: int) -> int:
        """Save in a thread: a disk may be slow."""
        if number <= seq or checkpoint is None:
            return max(seq, number)
        return await self._threads.run(_passed, checkpoint, seq, number)


async def create_sandbox_async(base_url: str, **fields_and_options: Any) -> AsyncSandbox:
    """Create a sandbox without a client.

    The fields are those of AsyncClient.create_sandbox, such as preset, seed, bridge and clock; the options are those
    of a client.
    """
    options, fields = _split(fields_and_options)
    return await AsyncClient(base_url, **options).create_sandbox(**fields)
