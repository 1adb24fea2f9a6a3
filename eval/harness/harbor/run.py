#!/usr/bin/env python3
# {{.Canary}}
"""Runs the program that the player has filed: start after start, as the company asks for it, until it asks for no more.

The program gets a folder of its own and the variables of its start. How each start ends goes to the company, which
grades what the program has done.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

URL = os.environ.get("PLATEN_TRIAL_URL", {{quote .TrialURL}})
TOKEN = {{quote .RunnerToken}}
# The number of the user and group as whom the program runs, None for those of this one.
USER = int(os.environ["PLATEN_RUN_AS"]) if "PLATEN_RUN_AS" in os.environ else None


def next_start(ended):
    """Says how the last start has ended, None before the first, and returns the next one, None where there is none."""
    body = b"" if ended is None else json.dumps({"why": ended}).encode()
    request = urllib.request.Request(URL, method="POST", data=body)
    request.add_header("Authorization", "Bearer " + TOKEN)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.load(response) if response.status == 200 else None


def run(start, folder):
    """Makes a start, and says why it does not count: "" where it has ended with status 0 within its limits."""
    file = os.path.join(folder, "bridge.py")
    with open(file, "w", encoding="utf-8") as out:
        out.write(start["program"])
    other = {}
    if USER is not None:
        other = {"user": USER, "group": USER, "extra_groups": []}
        os.chown(file, USER, USER)
    process = subprocess.Popen(
        [sys.executable, "-B", "-s", file], cwd=folder, env=start["environment"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **other)
    try:
        printed, why = follow(process, start)
        if not why and process.wait(timeout=5) != 0:
            why = f"ended with status {process.returncode}: {printed.decode(errors='replace').strip()[-200:]}"
    except subprocess.TimeoutExpired:
        why = "closed its output and did not end"
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # nothing is left of it
        process.wait()
    return why


def follow(process, start):
    """Reads what a start prints until it is over, or beyond a limit."""
    printed, deadline = b"", time.monotonic() + start["seconds"]
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not ready.select(left):
                return printed, f"did not end within {start['seconds']} seconds"
            part = os.read(process.stdout.fileno(), 1 << 16)
            if not part:
                return printed, ""
            printed += part
            if len(printed) > start["output_bytes"]:
                return printed, f"printed more than {start['output_bytes']} bytes"


def main():
    with tempfile.TemporaryDirectory() as folder:
        if USER is not None:
            os.chown(folder, USER, USER)
        ended = None
        while True:
            start = next_start(ended)
            if start is None:
                return
            ended = run(start, folder)
            print(f"start {start['number']}: {ended or 'ok'}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
