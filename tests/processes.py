"""Processes that tests kill."""

from pathlib import Path


def children(pid):
    """The processes that a process has started, and those that these have."""
    own = [
        int(word)
        for path in Path(f"/proc/{pid}/task").glob("*/children")
        for word in path.read_text().split()
    ]
    return own + [inner for child in own for inner in children(child)]


def command_of(pid):
    """The command that a process runs; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
