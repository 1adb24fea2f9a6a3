"""What the two clients have in common: everything but sending and waiting.

A call is a generator that yields what is to be done, Send or Sleep, and is given what came of it. The clients drive
it, one with threads that block and one with an event loop, so that there is one set of rules.
"""

from __future__ import annotations

import email.utils
import hashlib
import json
import random
import secrets
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit

from . import _types as t
from ._errors import ApiError, NetworkError, NoKeyError, NotModified, PlatenError, is_code
from ._version import VERSION

T = TypeVar("T")

#: The largest limit of a page. Reading all pages asks for so many rows at a time.
MOST_PER_PAGE = 100

#: So long a poll waits on the server.
POLL_S = 20

#: So long a test waits for a request by default.
WAIT_S = 30.0

#: The path of the API below the origin of a server.
BASE_PATH = "/v1"

#: A response is read up to so many bytes: many times a full page of the largest rows.
MOST_BYTES = 8 << 20

# The limit of a wait for which the server names no time begins with the one and doubles up to the other.
_FIRST_WAIT_S = 0.25
_MOST_WAIT_S = 8.0
# Calls without a key share a small budget, so a ticket is looked at this rarely.
_TICKET_WAIT_S = 3.0
# So many proofs of work are solved for one creation: one can come too late. The hardest that is begun has so many bits.
_MOST_PROOFS = 3
_MOST_BITS = 28
# So often a list is begun again whose cursor the server has forgotten.
_MOST_BEGINNINGS = 5


def key_for(step: str, record: str, ordinal: int | None = None) -> str:
    """Names an idempotency key for the step and its record, such as accept-SO-1001 for a sales order's number or id.

    A program that was started again, or runs twice, sends the same one. Where a step may happen again, add an ordinal
    that you read from the record, never the attempt: key_for("print", work["number"], len(work["print_run_ids"]) + 1).
    A key has at most 64 characters.
    """
    return f"{step}-{record}" if ordinal is None else f"{step}-{record}-{ordinal}"


@dataclass(frozen=True)
class Keys:
    """The keys of a sandbox. Methods whose key is missing raise NoKeyError."""

    office: str = field(default="", repr=False)
    factory: str = field(default="", repr=False)
    #: The key that judges the player of an evaluation, who must not have it.
    grading: str = field(default="", repr=False)


@dataclass
class Call:
    """Details of a finished call, filled in by it. After a failed one they describe the last attempt."""

    attempts: int = 0
    #: The status of the response, 0 when there was none.
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    #: The whole response as it came.
    body: bytes = field(default=b"", repr=False)
    meta: t.Meta | None = None
    #: The version of the data that a read returned.
    etag: str = ""
    #: The key that a write was sent with. With it, a write whose outcome is unknown can be sent again.
    idempotency_key: str = ""
    #: Whether the response is the stored one of an earlier attempt.
    replayed: bool = False


@dataclass
class Page(Generic[T]):
    """One page of a list."""

    items: list[T]
    #: The cursor of the next page, None when the list has ended.
    next_cursor: str | None
    #: The version of the page, for if_none_match.
    etag: str
    meta: t.Meta
    #: The number of the newest event; only pages of events have it.
    last_seq: int = 0


@dataclass(frozen=True)
class Wait:
    """A pause of a call that is about to begin."""

    operation: str
    #: The time until the next attempt, or until the next look at the ticket; 0 for a proof of work.
    seconds: float
    #: The reason: the error of the last attempt; None in the queue.
    error: Exception | None = None
    #: The place in the queue for a sandbox.
    ticket: dict[str, Any] | None = None
    #: The bits of a proof of work: 2 to its power is the number of hashes to expect.
    difficulty: int = 0


@dataclass(frozen=True)
class Exchange:
    """One attempt of a call. The response of create_sandbox has keys in it, those about webhooks their secrets."""

    operation: str
    method: str
    #: Below the base URL, with its query.
    path: str
    #: The system of the key that was sent, empty where there was none.
    system: str
    attempt: int
    request: bytes | None = field(repr=False)
    #: 0 when there was no response.
    status: int
    headers: Mapping[str, str] = field(repr=False)
    response: bytes | None = field(repr=False)
    seconds: float
    #: The reason why there was no response.
    error: Exception | None


@dataclass
class Response:
    """A response as it came. The names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def _ignore(_: Any) -> None:
    pass


@dataclass(frozen=True)
class Options:
    """How a client works; its constructor takes the fields by their names."""

    #: How often a call is repeated, 0 for never. None leaves it to max_elapsed_s.
    max_retries: int | None = None
    #: The time in seconds from the beginning of a call to that of its last attempt.
    max_elapsed_s: float = 60.0
    #: The time in seconds that an attempt may be silent: more than a long poll takes.
    timeout_s: float = 30.0
    #: Whether retryable conflicts (409), such as press_busy, are repeated too. They tell of the company, not of the
    #: connection, so they are left to the program unless this is set.
    retry_conflicts: bool = False
    #: The key without which a server makes no sandbox, where its operator has set one.
    creation_key: str = field(default="", repr=False)
    user_agent: str = f"platen-client-python/{VERSION}"
    #: An ssl.SSLContext for https, the default one when None.
    ssl_context: Any = None
    #: Is told of each pause before it begins, and of each attempt after it has ended. An error that on_exchange raises
    #: is logged.
    on_wait: Callable[[Wait], None] = _ignore
    on_exchange: Callable[[Exchange], None] = _ignore
    #: The source of idempotency keys: 1 to 64 printable ASCII characters, never the same twice.
    new_key: Callable[[], str] = lambda: secrets.token_hex(16)
    #: The clock in seconds since 1970, for tests.
    now: Callable[[], float] | None = None
    #: Waits, for tests. That of the asynchronous client is a coroutine function.
    sleep: Callable[[float], Any] | None = None
    #: An event, of threading or of asyncio, that ends the waits of the client: they raise Stopped.
    stop: Any = None


@dataclass(frozen=True)
class Request:
    """A request before it is sent."""

    operation: str
    method: str
    path: str
    system: str
    ids: tuple[str, ...] = ()
    query: Mapping[str, Any] | None = None
    body: Any = None
    idempotency_key: str | None = None
    if_none_match: str | None = None
    if_match: str | None = None
    write: bool = False
    proof: str = ""
    #: The path is relative to the origin.
    absolute: bool = False


@dataclass(frozen=True)
class Send:
    """To do: send a request once. The result is a Response, or a NetworkError is thrown."""

    operation: str
    method: str
    target: str
    headers: dict[str, str]
    body: bytes | None
    system: str
    attempt: int


@dataclass(frozen=True)
class Sleep:
    """To do: wait."""

    seconds: float


@dataclass(frozen=True)
class Prove:
    """To do: find the proof of work for a task."""

    challenge: str
    difficulty: int


#: A call on its way.
Steps = Generator[Send | Sleep | Prove, Any, T]


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are there."""
    return {name: value for name, value in values.items() if value is not None}


class Core:
    """The rules of a client, without a connection."""

    def __init__(self, base_url: str, keys: Keys, options: Options) -> None:
        self.base = base_url.rstrip("/")
        parts = urlsplit(self.base)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise ValueError(f"platen: the base URL must be like http://127.0.0.1:8080/v1, not {base_url!r}")
        if not parts.path:
            self.base += BASE_PATH
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.keys = keys
        self.options = options

    def call(self, request: Request, call: Call, now: Callable[[], float]) -> Steps[Any]:
        """Send a request until it has a final response, and return its data."""
        options = self.options
        call.__init__()
        headers, body, target, system = self._prepare(request)
        call.idempotency_key = headers.get("Idempotency-Key", "")
        began = now()
        attempts = 0
        while True:
            attempts += 1
            call.__init__(attempts=attempts, idempotency_key=call.idempotency_key)
            try:
                response = yield Send(request.operation, request.method, target, headers, body, system, attempts)
                return self._read(request.operation, response, call, now)
            except PlatenError as error:
                error.attempts = attempts
                if not self.again(error):
                    raise
                wait = self.delay(error, attempts)
                enough = options.max_retries is not None and attempts > options.max_retries
                if enough or now() - began + wait > options.max_elapsed_s:
                    raise
                options.on_wait(Wait(request.operation, wait, error))
            yield Sleep(wait)

    def page(self, request: Request, call: Call, now: Callable[[], float]) -> Steps[Page[Any]]:
        """Read one page of a list."""
        query = dict(request.query or {})
        if request.operation == "poll_events" and not query.get("cursor"):
            query.setdefault("after_seq", 0)
        data = yield from self.call(replace(request, query=query), call, now)
        if not isinstance(data, dict):
            raise PlatenError(f"{request.operation}: decode the response: it is no page")
        meta = call.meta or cast(t.Meta, {})
        return Page(data.get("items", []), data.get("next_cursor"), call.etag, meta, data.get("last_seq", 0))

    def create(self, request: Request, call: Call, now: Callable[[], float]) -> Steps[dict[str, Any]]:
        """Make a sandbox: prove work when the server asks for it, and wait in the queue."""
        options = self.options
        # One key for all proofs.
        kept = request.idempotency_key if request.idempotency_key is not None else options.new_key()
        request = replace(request, write=True, idempotency_key=kept)
        data: Any = None
        for proofs in range(_MOST_PROOFS + 1):
            try:
                data = yield from self.call(request, call, now)
                break
            except ApiError as error:
                if error.code != "pow_required" or proofs == _MOST_PROOFS:
                    raise
                task = error.details or {}
                challenge, difficulty = task.get("challenge"), task.get("difficulty")
                if not challenge or not isinstance(difficulty, int) or difficulty > _MOST_BITS:
                    raise
                options.on_wait(Wait(request.operation, 0.0, error, difficulty=difficulty))
            request = replace(request, proof=(yield Prove(challenge, difficulty)))
        ticket: dict[str, Any] = {}
        while call.status == 202:
            ticket = {**ticket, **data}
            after = call.headers.get("retry-after", "")
            wait = max(_TICKET_WAIT_S, float(after) if after.isdigit() else 0.0)
            options.on_wait(Wait(request.operation, wait, ticket=dict(ticket)))
            yield Sleep(wait)
            path = ticket.get("poll", "")
            data = yield from self.call(Request(request.operation, "GET", path, "open", absolute=True), call, now)
        return data

    def raw(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], key: str | None) -> Send:
        """A request of the program's own."""
        target = "/" + path.lstrip("/")
        sent = dict(headers)
        known = {name.lower() for name in sent}
        system = ""
        if not known & {"authorization", "x-api-key"}:
            first = target[1:].replace("?", "/").split("/")[0]
            places = {"sandboxes": "open", "queue": "open", "office": "office", "factory": "factory"}
            secret, system = self._key(places.get(first, "shared"))
            if secret:
                sent["Authorization"] = "Bearer " + secret
        if body and "content-type" not in known:
            sent["Content-Type"] = "application/json"
        if method not in ("GET", "HEAD") and "idempotency-key" not in known:
            sent["Idempotency-Key"] = key or self.options.new_key()
        if "user-agent" not in known:
            sent["User-Agent"] = self.options.user_agent
        return Send("", method, self.base + target, sent, body, system, 1)

    def again(self, error: Exception) -> bool:
        """Whether an attempt that ended with an error may be repeated."""
        if isinstance(error, NetworkError):
            return True  # reads change nothing, writes have their key
        if not isinstance(error, ApiError):
            return False
        match error.status:
            case 429 | 503:
                return True
            case 409:
                return error.code == "request_in_progress" or (error.retryable and self.options.retry_conflicts)
            case 502 | 504:
                return error.code == "" or error.retryable  # a gateway that did not get through is the network
            case _:
                return error.retryable

    def delay(self, error: Exception, attempts: int) -> float:
        """The time to wait before the next attempt: the server's own, or else a random one."""
        if isinstance(error, ApiError) and error.retry_after_s > 0:
            return error.retry_after_s
        # At random, so that clients that failed together do not come back together.
        return random.uniform(0, min(_MOST_WAIT_S, _FIRST_WAIT_S * 2 ** (attempts - 1)))

    def _prepare(self, request: Request) -> tuple[dict[str, str], bytes | None, str, str]:
        secret, system = self._key(request.system)
        if request.operation == "create_sandbox":
            secret = self.options.creation_key
        headers = {"Accept": "application/json", "User-Agent": self.options.user_agent}
        if request.if_none_match:
            headers["If-None-Match"] = request.if_none_match
        if request.if_match:
            headers["If-Match"] = request.if_match
        if request.proof:
            headers["Sim-PoW"] = request.proof
        if secret:
            headers["Authorization"] = "Bearer " + secret
        body = None
        if request.body is not None:
            body = json.dumps(request.body, separators=(",", ":"), default=_text).encode()
            headers["Content-Type"] = "application/json"
        if request.write:
            key = request.idempotency_key if request.idempotency_key is not None else self.options.new_key()
            if key == "":  # a write without a key must never be repeated, so none is sent
                raise PlatenError(f"{request.operation}: the idempotency key is empty")
            headers["Idempotency-Key"] = key
        if not request.absolute:
            return headers, body, self.base + _place(request), system
        # A ticket names a path of the server. It can lead nowhere else.
        path = request.path
        if not isinstance(path, str) or not path.startswith("/") or path.startswith("//") or not path.isprintable():
            raise PlatenError(f"{request.operation}: the ticket names no path of this server")
        return headers, body, self.origin + path, system

    def _key(self, system: str) -> tuple[str, str]:
        """The key for a route. Shared routes take that of either system, but in an evaluation those that its player
        must not use (judged) take the grading key."""
        if system == "open":
            return "", ""
        order = {"shared": ("office", "factory", "grading"), "judged": ("grading", "office", "factory")}
        for of in order.get(system, (system,)):
            if key := getattr(self.keys, of):
                return key, of
        raise NoKeyError(f"the client has no key for this system ({system})")

    def _read(self, operation: str, response: Response, call: Call, now: Callable[[], float]) -> Any:
        call.status, call.headers, call.body = response.status, response.headers, response.body
        call.etag = response.headers.get("etag", "")
        call.replayed = response.headers.get("idempotency-replayed") == "true"
        if response.status == 304:
            raise NotModified(f"{operation}: not modified")
        try:
            envelope = json.loads(response.body)
        except ValueError:
            envelope = None
        whole = isinstance(envelope, dict)
        call.meta = envelope.get("meta") if whole else None
        if not 200 <= response.status < 300:
            raise _refusal(operation, response, envelope if whole else {}, now())
        if not whole:
            raise PlatenError(f"{operation}: decode the response: it is no envelope")
        return envelope.get("data")


class Pager:
    """Turns the pages of a list: page after page goes in, and the rows that are new come out.

    A list whose cursor the server has forgotten is begun again, without the rows that came already; the feed goes on
    behind its last event.
    """

    def __init__(self, request: Request) -> None:
        self._first = {"limit": MOST_PER_PAGE, **given(request.query or {})}
        self._known: set[Any] = set()
        self._beginnings = 0
        self._last = 0
        self._begun = True
        self.request = replace(request, query=self._first)
        self.done = False

    def turn(self, page: Page[Any]) -> Iterator[Any]:
        for item in page.items:
            name = item.get("id")
            if name is not None and name in self._known:
                continue
            self._known.add(name)
            if self.request.operation == "list_events":
                self._last = item["seq"]
            yield item
        query = dict(self.request.query or {})
        if not page.next_cursor:
            self.done = True
            return
        if page.next_cursor == query.get("cursor"):
            raise PlatenError(f"{self.request.operation}: the next page is this one again")
        query.pop("after_seq", None)  # a cursor of the feed goes on from an event of its own
        query["cursor"] = page.next_cursor
        self._begun = False
        # The condition counts for the first page: when that is as it was, so is the list.
        self.request = replace(self.request, query=query, if_none_match=None)

    def lost(self, error: Exception) -> None:
        """Begin again after an error, or raise it."""
        if not is_code(error, "invalid_cursor") or self._begun or None in self._known:
            raise error
        self._beginnings += 1
        if self._beginnings > _MOST_BEGINNINGS:
            raise error
        query = dict(self._first)
        if self._last > 0:
            query.pop("cursor", None)
            query["after_seq"] = self._last
        self._begun = True
        self.request = replace(self.request, query=query)


def prove(challenge: str, difficulty: int, ended: Callable[[], bool]) -> str:
    """Find a nonce whose hash with the challenge begins with so many zero bits."""
    begun = hashlib.sha256(challenge.encode())
    limit = 1 << (256 - difficulty)
    nonce = 0
    while True:
        digest = begun.copy()
        digest.update(str(nonce).encode())
        if int.from_bytes(digest.digest(), "big") < limit:
            return f"{challenge}.{nonce}"
        nonce += 1
        if nonce % 4096 == 0 and ended():
            return ""


def _refusal(operation: str, response: Response, envelope: Mapping[str, Any], now: float) -> ApiError:
    error = envelope.get("error")
    meta = envelope.get("meta") or {}
    headers = response.headers
    request_id = meta.get("request_id") or headers.get("request-id", "")
    if not isinstance(error, dict):
        # It comes from something in between, and is described by its status alone.
        wait = _wanted(headers, meta, None, now)
        text = "The response is not one of the API."
        return ApiError(operation, response.status, text=text, retry_after_s=wait, request_id=request_id)
    return ApiError(
        operation,
        response.status,
        code=error.get("code", ""),
        text=error.get("message", ""),
        hint=error.get("hint", ""),
        docs_url=error.get("docs_url", ""),
        details=error.get("details"),
        retryable=error.get("retryable") is True,
        retry_at=error.get("retry_at"),
        retry_after_s=_wanted(headers, meta, error.get("retry_at"), now),
        request_id=request_id,
    )


def _wanted(headers: Mapping[str, str], meta: Mapping[str, Any], retry_at: str | None, now: float) -> float:
    """The time that the server asks to wait: Retry-After or the time to retry_at, whichever is longer. Moments are
    compared with the server's own clock, since ours may be wrong."""
    clock = _moment(meta.get("server_time")) or _http_date(headers.get("date", "")) or now
    after = headers.get("retry-after", "")
    wait = 0.0
    if after.isascii() and after.isdigit():
        wait = float(after)
    elif at := _http_date(after):
        wait = at - clock
    if until := _moment(retry_at):
        # Sums of seconds since 1970 have no room for their last digits.
        wait = max(wait, round(until - clock, 6))
    return max(wait, 0.0)


def _moment(text: Any) -> float | None:
    try:
        return datetime.fromisoformat(text).timestamp()
    except (TypeError, ValueError):
        return None


def _http_date(text: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError):
        return None


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"platen: {type(value).__name__} has no form in JSON")


def _place(request: Request) -> str:
    """The path of a request below the base URL, with its query."""
    path = request.path
    for id_ in request.ids:
        # An empty id, or one that a URL takes for a folder, could only mean another route.
        if not isinstance(id_, str) or id_ in ("", ".", ".."):
            raise PlatenError(f"{request.operation}: " + ("the id is empty" if id_ == "" else f"{id_!r} is no id"))
        begin = path.index("{")
        path = path[:begin] + quote(id_, safe="").replace("{", "%7B") + path[path.index("}", begin) + 1 :]
    chosen: dict[str, str] = {}
    for name, value in (request.query or {}).items():
        if value is None or value == "" or value == () or value == []:
            continue
        if isinstance(value, datetime):
            value = _text(value)
        elif not isinstance(value, (str, int, float)):
            value = ",".join(value)
        chosen[name] = str(value)
    return f"{path}?{urlencode(chosen)}" if chosen else path
