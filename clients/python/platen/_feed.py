"""Checkpoints of the feed."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Protocol


class Checkpoint(Protocol):
    """Keeps how far the feed has been handled."""

    def load(self) -> int:
        """The number of the last event that was handled, 0 for none."""
        ...

    def save(self, seq: int) -> None: ...


class FileCheckpoint:
    """Keeps the number in a file. A crash leaves the old one or the new one. The file belongs to one sandbox and to
    one program."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def load(self) -> int:
        try:
            text = self._path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return 0
        if not text.isdigit():
            raise ValueError(f"platen: {self._path} holds no checkpoint")
        return int(text)

    def save(self, seq: int) -> None:
        folder = self._path.absolute().parent
        file = tempfile.NamedTemporaryFile("w", dir=folder, prefix=self._path.name + ".", delete=False)
        try:
            with file:
                file.write(f"{seq}\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(file.name, self._path)
        except BaseException:
            with suppress(OSError):
                os.unlink(file.name)
            raise
