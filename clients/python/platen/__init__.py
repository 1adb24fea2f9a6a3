"""The client of Platen, a simulated printing company with two HTTP systems, Head Office and the Factory.

    import platen

    sandbox = platen.create_sandbox("http://127.0.0.1:8080/v1", preset="starter", clock="manual")
    client = sandbox.client
    for order in client.sales_orders(status="received"):
        try:
            client.accept_sales_order(order["id"])
        except platen.ApiError as error:
            if error.code != "invalid_state":  # another client has answered it
                raise

Each operation of the API has one method, named as its id is: Client has them for programs that block, AsyncClient for
asyncio. It returns the row that the server sent, a dictionary with its fields as they are on the wire; the types are in
platen.types. Lists have two methods: list_sales_orders reads one page, sales_orders all of them.

A call is repeated after 429, after 503, after any error that the server calls retryable, after request_in_progress and
when the connection broke. Every write carries an idempotency key, the same on each of its attempts, so that a write
whose response was lost happens once. Retry-After and retry_at are kept, whichever is later, by the server's clock.
"""

from . import _types as types
from . import fixture, webhook
from ._async_client import AsyncClient, AsyncSandbox, create_sandbox_async
from ._client import Client, Sandbox, create_sandbox
from ._core import MOST_PER_PAGE, Call, Exchange, Keys, Options, Page, Response, Wait, key_for
from ._errors import ApiError, NetworkError, NoKeyError, NotModified, PlatenError, Stopped, is_code
from ._feed import Checkpoint, FileCheckpoint
from ._types import CODES, EVENT_TYPES
from ._version import VERSION
from .webhook import WebhookError

__version__ = VERSION

__all__ = [
    "CODES",
    "EVENT_TYPES",
    "MOST_PER_PAGE",
    "VERSION",
    "ApiError",
    "AsyncClient",
    "AsyncSandbox",
    "Call",
    "Checkpoint",
    "Client",
    "Exchange",
    "FileCheckpoint",
    "Keys",
    "NetworkError",
    "NoKeyError",
    "NotModified",
    "Options",
    "Page",
    "PlatenError",
    "Response",
    "Sandbox",
    "Stopped",
    "Wait",
    "WebhookError",
    "create_sandbox",
    "create_sandbox_async",
    "fixture",
    "is_code",
    "key_for",
    "types",
    "webhook",
]
