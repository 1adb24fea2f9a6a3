"""A whole Platen for tests: a server on a free port, without limits, over a database that is thrown away.

    with platen.fixture.start() as server:
        sandbox = server.sandbox(preset="starter")

For unittest there is a mixin, PlatenCase, and for pytest the plugin platen.pytest_plugin.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

from ._client import Sandbox, create_sandbox
from ._gate import require_exactly_once as require_exactly_once
from ._gate import require_exactly_once_async as require_exactly_once_async

# The server is on this machine, whatever proxy the environment names.
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
# A server starts in less than a second; a loaded machine takes longer.
_PATIENCE_S = 60.0

# The shell holds the pipe of the tests: a line in it, or its end when the tests end, however that is, stops the server,
# and the shell removes its folder. The watcher outlives its kill, so that its number is not another process's.
_KEEPER = """
folder=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r _; kill "$server"; exec sleep 60; } <&3 >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$server"; status=$?
kill "$watcher"
rm -rf "$folder"
exit "$status"
"""


class Platen:
    """A running server. It is stopped by stop, at the end of a with statement, and when the tests end."""

    def __init__(self, binary: str | None = None, args: Sequence[str] = (), **client: Any) -> None:
        program = binary or os.environ.get("PLATEN_BIN") or "platen"
        if not shutil.which(program):
            raise FileNotFoundError(f"platen: there is no program {program}. PLATEN_BIN can name it.")
        self._client = client
        self._folder = tempfile.mkdtemp(prefix="platen-")
        database = os.path.join(self._folder, "platen.db")
        argv = [program, "serve", "--profile", "local", "--listen", "127.0.0.1:0", "--database", database, *args]
        # Settings of another server must not reach this one.
        env = {name: value for name, value in os.environ.items() if not name.startswith("PLATEN_")}
        self._kept = os.name == "posix"
        if self._kept:
            argv = ["/bin/sh", "-c", _KEEPER, "platen-keeper", self._folder, *argv]
        self._process = subprocess.Popen(
            argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self._owner = os.getpid()
        self._said: list[str] = []
        self._address = ""
        self._known = threading.Event()
        self._reader = threading.Thread(target=self._listen, name="platen-output", daemon=True)
        self._reader.start()
        atexit.register(self.stop)
        try:
            self._ready(program)
        except BaseException:
            self.stop()
            raise
        #: Where its API is, such as http://127.0.0.1:40123/v1.
        self.base_url = self._address

    @property
    def origin(self) -> str:
        parts = urlsplit(self._address)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def output(self) -> str:
        """What the server has printed."""
        return "".join(self._said[-1000:])

    def sandbox(self, **fields: Any) -> Sandbox:
        """Create a sandbox: its clock stands still unless the fields say otherwise."""
        return create_sandbox(self.base_url, **({"clock": "manual"} | self._client | fields))

    def stop(self) -> None:
        """Stop the server and remove its database. In a process that was forked from the tests it does nothing."""
        atexit.unregister(self.stop)
        if os.getpid() != self._owner:
            return
        if self._process.stdin and not self._process.stdin.closed:
            with suppress(OSError):
                self._process.stdin.write(b"\n")  # a forked process that lives holds the pipe open too
                self._process.stdin.flush()
            with suppress(OSError):
                self._process.stdin.close()
        if not self._kept:
            self._process.terminate()
        self._process.wait()
        self._reader.join(_PATIENCE_S)
        if self._process.stdout:
            self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _listen(self) -> None:
        assert self._process.stdout
        for raw in self._process.stdout:
            line = raw.decode(errors="replace")
            self._said.append(line)
            if found := re.match(r" *API +(http://\S+)$", line.rstrip()):
                self._address = found[1]
                self._known.set()
        self._known.set()

    def _ready(self, program: str) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        self._known.wait(_PATIENCE_S)
        if not self._address:
            raise RuntimeError(f"platen: {program} did not start:\n{self.output}")
        while True:
            with suppress(OSError), _DIRECT.open(f"{self.origin}/readyz", timeout=5) as response:
                if response.status == 200:
                    return
            if time.monotonic() > deadline:
                raise RuntimeError(f"platen: the server does not become ready:\n{self.output}")
            time.sleep(0.02)


def start(binary: str | None = None, args: Sequence[str] = (), **client: Any) -> Platen:
    """Start a server. PLATEN_BIN names the program, or it is found in the PATH; args are more flags of platen serve,
    and the rest are options of the clients of its sandboxes."""
    return Platen(binary, args, **client)


_shared: Platen | None = None
_lock = threading.Lock()


def shared() -> Platen:
    """The server that all tests of this process share. It is started once and stopped at the end."""
    global _shared
    with _lock:
        if _shared is None:
            _shared = start()
        return _shared


def fork(
    base: Sandbox, checkpoint: str | None = None, *, seq: int | None = None, sim_date: str | None = None
) -> Sandbox:
    """A sandbox in the state of another one: now, at one of its checkpoints, after an event or at the opening of a
    day."""
    judge = base.grader if base.keys.grading else base.client
    return judge.fork_sandbox(checkpoint=checkpoint, seq=seq, sim_date=sim_date)


class PlatenCase:
    """A mixin for unittest.TestCase. Override prepare to bring a sandbox into the state that the tests begin with;
    fork gives each test one of its own.

        class OrdersTest(platen.fixture.PlatenCase, unittest.TestCase):
            sandbox_fields = {"preset": "starter", "seed": 4}

            def test_it(self):
                client = self.fork().client
    """

    #: What the sandbox is made with.
    sandbox_fields: ClassVar[dict[str, Any]] = {}
    platen: ClassVar[Platen]
    base: ClassVar[Sandbox]

    @classmethod
    def setUpClass(cls) -> None:
        getattr(super(), "setUpClass", lambda: None)()
        cls.platen = shared()
        cls.base = cls.platen.sandbox(**cls.sandbox_fields)
        cls.prepare(cls.base)

    @classmethod
    def prepare(cls, sandbox: Sandbox) -> None:
        """Bring the sandbox into the state that the tests begin with."""

    def fork(self, checkpoint: str | None = None, *, seq: int | None = None, sim_date: str | None = None) -> Sandbox:
        """A sandbox in the state that was prepared, or in an earlier one, for one test alone."""
        return fork(self.base, checkpoint, seq=seq, sim_date=sim_date)
