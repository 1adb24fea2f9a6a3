"""The errors of the client."""

from __future__ import annotations

from typing import Any, TypeGuard


class PlatenError(Exception):
    """Any failure that this package describes."""

    #: How often the request was sent.
    attempts: int = 0


class ApiError(PlatenError):
    """An error that the server returned. Programs look at its code, never at its text."""

    def __init__(
        self,
        operation: str,
        status: int,
        *,
        code: str = "",
        text: str = "",
        hint: str = "",
        docs_url: str = "",
        details: Any = None,
        retryable: bool = False,
        retry_at: str | None = None,
        retry_after_s: float = 0.0,
        request_id: str = "",
    ) -> None:
        head = f"{operation}: {status} {code}".rstrip()
        super().__init__(": ".join(part for part in (head, text) if part) + (f" {hint}" if hint else ""))
        #: The id of the operation, such as accept_sales_order.
        self.operation = operation
        self.status = status
        #: Tells errors apart; empty when a proxy or another intermediary sent the response.
        self.code = code
        #: The cause, and the remedy, for people.
        self.text = text
        self.hint = hint
        #: The page about the code.
        self.docs_url = docs_url
        #: An object for programs, None for most codes.
        self.details = details
        #: Whether the same request can succeed later, and when, by the server's clock.
        self.retryable = retryable
        self.retry_at = retry_at
        #: The time to wait from the response on, with the clocks' difference taken out; 0 where the server named none.
        self.retry_after_s = retry_after_s
        #: Finds the request in the server's log.
        self.request_id = request_id

    def __reduce__(self) -> tuple[Any, ...]:
        """For multiprocessing, which brings the error of a worker to its parent."""
        return ApiError.__new__, (ApiError, *self.args), self.__dict__


class NetworkError(PlatenError):
    """There was no response, or only a part of one. Whether the request took effect is not known."""


class NotModified(PlatenError):
    """Something that was asked for with if_none_match has not changed."""


class NoKeyError(PlatenError):
    """The client has no key for the system that a method belongs to."""


class Stopped(PlatenError):
    """The event of the client's option stop was set."""


def is_code(error: BaseException | None, code: str) -> TypeGuard[ApiError]:
    """Whether an error is one of the server with a code, such as press_busy."""
    return isinstance(error, ApiError) and error.code == code
