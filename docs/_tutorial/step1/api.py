"""Sends requests to the two systems of a sandbox."""
import json
import os
import urllib.request

URL = os.environ["PLATEN_URL"]
OFFICE_KEY = os.environ["PLATEN_OFFICE_KEY"]
FACTORY_KEY = os.environ["PLATEN_FACTORY_KEY"]


def send(method, path, idempotency_key=None, body=None):
    """Returns the data of the response."""
    request = urllib.request.Request(URL + path, method=method)
    key = FACTORY_KEY if path.startswith("/factory/") else OFFICE_KEY
    request.add_header("Authorization", "Bearer " + key)
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
        request.add_header("Idempotency-Key", idempotency_key)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["data"]
