"""Sends requests to the two systems of a sandbox."""
import http.client  # step 2
import json
import os
import random  # step 2
import time  # step 2
import urllib.error  # step 2
import urllib.request

URL = os.environ["PLATEN_URL"]
OFFICE_KEY = os.environ["PLATEN_OFFICE_KEY"]
FACTORY_KEY = os.environ["PLATEN_FACTORY_KEY"]
ATTEMPTS = 6  # step 2


# step 2
class Rejected(Exception):
    """The API rejected a request. Look at the code: messages may change."""

    def __init__(self, error):
        super().__init__(error["code"] + ": " + error["message"])
        self.code = error["code"]


# step 1
def send(method, path, idempotency_key=None, body=None):
    # until 1: """Returns the data of the response."""
    # step 2
    """Returns the data of the response. Sends the request again, with the same
    idempotency key, while there is no response or the response says so."""
    for attempt in range(1, ATTEMPTS + 1):
        wait = random.uniform(0, 0.5 * 2**attempt)
        try:
            return send_once(method, path, idempotency_key, body)
        except urllib.error.HTTPError as response:
            try:
                error = json.load(response)["error"]
            except (ValueError, KeyError, OSError, http.client.HTTPException):
                failure = response  # a proxy in between, not the API
            else:
                failure = Rejected(error)
                if not error["retryable"] and response.code not in (429, 503):
                    raise failure from None
                wait = max(wait, float(response.headers.get("Retry-After", 0)))
        except (OSError, ValueError, http.client.HTTPException) as broken:
            failure = broken  # no response, or half of one
        if attempt < ATTEMPTS:
            time.sleep(wait)
    raise failure


def send_once(method, path, idempotency_key, body):
    # step 1
    request = urllib.request.Request(URL + path, method=method)
    key = FACTORY_KEY if path.startswith("/factory/") else OFFICE_KEY
    request.add_header("Authorization", "Bearer " + key)
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
        request.add_header("Idempotency-Key", idempotency_key)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["data"]
