"""Loggers that write a letter for the level, time, process and place before each message."""

from __future__ import annotations

import logging
import sys
import warnings
from logging import CRITICAL, DEBUG, ERROR, INFO, NOTSET, WARNING

__all__ = ["CRITICAL", "DEBUG", "ERROR", "INFO", "NOTSET", "WARNING", "getLogger", "get_logger"]

_GREEN, _BLUE, _RED = 32, 34, 31
_COLORS = {DEBUG: _BLUE, INFO: _GREEN}
_PLACE = "%(asctime)s %(process)d %(pathname)s:%(funcName)s:%(lineno)d"
_equipped: set[str] = set()
"""The loggers that have their handler."""


class _Formatter(logging.Formatter):
    """Text whose beginning is in the color of its level."""

    def __init__(self) -> None:
        super().__init__(datefmt="%m%d %H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        color = _COLORS.get(record.levelno, _RED)
        letter = record.levelname[0] if record.levelno in (CRITICAL, DEBUG, ERROR, INFO, WARNING) else "U"
        self._style._fmt = f"\x1b[{color}m{letter}{_PLACE}]\x1b[0m %(message)s"
        return super().format(record)


def get_logger(
    name: str | None = None, filename: str | None = None, filemode: str | None = None, level: int = WARNING
) -> logging.Logger:
    """A logger; the first call for a name gives it a handler and the level.

    Args:
        name: Its name. Without one it is the root logger, as it stands.
        filename: The file that it writes messages to, and nothing beside them; stderr if there is none.
        filemode: How the file is opened, `"a"` by default.
        level: What it leaves out is below this.

    Returns:
        The logger.
    """
    logger = logging.getLogger(name)
    if name is None or name in _equipped:
        return logger
    _equipped.add(name)
    handler: logging.Handler
    if filename:
        handler = logging.FileHandler(filename, filemode or "a")
    else:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(_Formatter())
    logger.addHandler(handler)
    logger.setLevel(level)
    return logger


def getLogger(
    name: str | None = None, filename: str | None = None, filemode: str | None = None, level: int = WARNING
) -> logging.Logger:
    """As `get_logger`, which takes its place.

    Args:
        name: As there.
        filename: As there.
        filemode: As there.
        level: As there.

    Returns:
        The logger.
    """
    warnings.warn("getLogger is deprecated, use get_logger.", DeprecationWarning, stacklevel=2)
    return get_logger(name, filename, filemode, level)
