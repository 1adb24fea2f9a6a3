"""Sends requests with http.client, over connections that are kept."""

from __future__ import annotations

import http.client
import logging
import os
import socket
import threading
import time
import weakref
from contextlib import suppress
from typing import Protocol
from urllib.parse import urlsplit

from ._core import MOST_BYTES, Exchange, Options, Response, Send
from ._errors import NetworkError, PlatenError

# The server closes a connection that nothing came over for a while: one that old is not used again.
_MOST_IDLE_S = 20.0
_MOST_KEPT = 32


class _Forked(Protocol):
    def forked(self) -> None: ...


_living: weakref.WeakSet[_Forked] = weakref.WeakSet()


def after_fork(living: _Forked) -> None:
    """Call forked in each child process of this one: connections and threads belong to the parent."""
    _living.add(living)


def _begin_child() -> None:
    for living in list(_living):
        living.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_child)


class Abort:
    """Ends an attempt from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: http.client.HTTPConnection | None = None
        self.asked = False

    def hold(self, connection: http.client.HTTPConnection | None) -> None:
        with self._lock:
            self._connection = connection

    def now(self) -> None:
        with self._lock:
            self.asked = True
            sock = self._connection and self._connection.sock
            if sock:
                with suppress(OSError):  # its readers get an end at once
                    sock.shutdown(socket.SHUT_RDWR)


class Transport:
    """Connections to one server. Safe for use by several threads."""

    def __init__(self, base_url: str, options: Options) -> None:
        self._base = base_url
        self._parts = urlsplit(base_url)
        self._options = options
        self._lock = threading.Lock()
        self._kept: list[tuple[http.client.HTTPConnection, float]] = []
        after_fork(self)

    def forked(self) -> None:
        self._lock = threading.Lock()  # another thread of the parent may hold the old one
        self.close()  # that of the child alone: the parent's descriptors stay open

    def close(self) -> None:
        with self._lock:
            kept, self._kept = self._kept, []
        for connection, _ in kept:
            connection.close()

    def __del__(self) -> None:
        with suppress(Exception):  # at the end of the program, when not everything is there any more
            self.close()

    def send(self, send: Send, abort: Abort | None = None) -> Response:
        """Send a request once, report it, and return the whole response."""
        began = time.monotonic() if self._options.now is None else self._options.now()
        response: Response | None = None
        error: Exception | None = None
        try:
            response = self._exchange(send, abort or Abort())
            return response
        except Exception as failed:
            error = failed
            raise
        finally:
            ended = time.monotonic() if self._options.now is None else self._options.now()
            exchange = Exchange(
                operation=send.operation,
                method=send.method,
                path=send.target.removeprefix(self._base),
                system=send.system,
                attempt=send.attempt,
                request=send.body,
                status=response.status if response else 0,
                headers=response.headers if response else {},
                response=response.body if response else None,
                seconds=ended - began,
                error=error,
            )
            try:
                self._options.on_exchange(exchange)
            except Exception:  # the request has its outcome, which a report must not replace
                logging.getLogger("platen").exception("on_exchange failed")

    def _exchange(self, send: Send, abort: Abort) -> Response:
        name = send.operation or f"{send.method} {send.target}"
        parts = urlsplit(send.target)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection = self._connection()
        abort.hold(connection)
        whole = False
        try:
            if connection.sock is None:
                connection.connect()
            if abort.asked:  # after the connection: from there on, its end is noticed
                raise OSError("the request was cancelled")
            # A server that rejects a body before its end closes the connection: the response tells why.
            sent = False
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(send.method, path, send.body, send.headers)
                sent = True
            answer = connection.getresponse()
            body = answer.read(MOST_BYTES + 1)
            if len(body) > MOST_BYTES:
                raise PlatenError(f"{name}: the response has more than {MOST_BYTES} bytes")
            if answer.length:  # read with a limit says nothing of an early end
                raise http.client.IncompleteRead(body, answer.length)
            whole = sent and answer.isclosed() and not answer.will_close
            headers = {key.lower(): value for key, value in answer.getheaders()}
            return Response(answer.status, headers, body)
        except (OSError, http.client.HTTPException) as failed:
            hint = " Is the server running?" if isinstance(failed, ConnectionRefusedError) else ""
            said = f"{name}: {self._base}: {failed or type(failed).__name__}"
            raise NetworkError(f"{said}.{hint}" if hint else said) from failed
        finally:
            abort.hold(None)
            if whole and not abort.asked:
                self._keep(connection)
            else:
                connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        with self._lock:
            while self._kept:
                connection, since = self._kept.pop()
                if time.monotonic() - since < _MOST_IDLE_S and not _ended(connection):
                    return connection
                connection.close()
        host, port, timeout = self._parts.hostname or "", self._parts.port, self._options.timeout_s
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=self._options.ssl_context)
        return http.client.HTTPConnection(host, port, timeout=timeout)

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._kept) < _MOST_KEPT:
                self._kept.append((connection, time.monotonic()))
                return
        connection.close()


def _ended(connection: http.client.HTTPConnection) -> bool:
    """Whether the server has closed an idle connection: then there is something to read, the end."""
    sock = connection.sock
    if sock is None:
        return True
    try:
        sock.setblocking(False)
        try:
            return sock.recv(1, socket.MSG_PEEK) is not None
        finally:
            sock.settimeout(connection.timeout)
    except (BlockingIOError, InterruptedError):
        return False
    except (OSError, ValueError):  # ValueError: TLS knows no flags; the first request will tell
        return connection.sock is None
