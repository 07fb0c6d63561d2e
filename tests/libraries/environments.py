"""The environments of libraries: what tests/libraries/<library>.txt names, under .libraries.

A file has sections: `[alone]` is installed without what it asks for, `[both]` in either environment,
`[hybridonnx]` and `[mxnet]` in one of them. What hybridonnx depends on is added, where the file does not name
another version. Without a section `[mxnet]` there is no environment with real MXNet. One that was made from
another text is made anew.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

__all__ = ["FOLDER", "ROOT", "EnvironmentSetupError", "libraries", "pins", "python"]

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".libraries"
SECTIONS = ("alone", "both", "hybridonnx", "mxnet")
VERSION = "3.11"
"""Of Python: the last that Apache MXNet 1.9.1 and packages of its time run on."""


class EnvironmentSetupError(Exception):
    """An environment could not be made."""


def libraries() -> list[str]:
    """The libraries that have a file."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.txt"))


def pins(text: str) -> dict[str, list[str]]:
    """What each section of a file names."""
    sections: dict[str, list[str]] = {}
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("["):
            name = line.strip("[]")
            if name not in SECTIONS:
                raise ValueError(f"one of {', '.join(SECTIONS)} is required, got [{name}].")
            sections[name] = []
        elif line:
            sections[name].append(line)
    return sections


def python(library: str, kind: str) -> Path | None:
    """The interpreter of a library's environment, which is made if need be.

    Args:
        library: The stem of its file.
        kind: `hybridonnx` or `mxnet`.

    Returns:
        Its path; None if the library has no such environment.

    Raises:
        EnvironmentSetupError: If it cannot be made.
    """
    text = (Path(__file__).parent / f"{library}.txt").read_text(encoding="utf-8")
    sections = pins(text)
    if kind not in sections:
        return None
    needs = sections.get("both", []) + sections[kind]
    if kind == "hybridonnx":
        needs += _own_needs({_package(need) for need in needs})
    alone = sections.get("alone", [])
    folder = FOLDER / (library if kind == "hybridonnx" else f"{library}-{kind}")
    stamp, wanted = folder / "stamp", hashlib.sha256(repr((alone, needs)).encode()).hexdigest()
    path = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not (stamp.is_file() and stamp.read_text() == wanted):
        print(f"making {folder} (minutes the first time)", file=sys.stderr, flush=True)
        _run(_interpreter(), "-m", "venv", "--clear", str(folder))
        _install(path, *needs)
        if alone:
            _install(path, "--no-deps", *alone)
        stamp.write_text(wanted)
    return path


def _own_needs(named: set[str]) -> list[str]:
    """What hybridonnx depends on, but for packages that are named already."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [need for need in project["dependencies"] if _package(need) not in named]


def _package(need: str) -> str:
    return re.split(r"[^\w.-]", need)[0]


def _interpreter() -> str:
    if sys.version_info[:2] == tuple(map(int, VERSION.split("."))):
        return sys.executable
    name = shutil.which(f"python{VERSION}")
    if name is None:
        raise EnvironmentSetupError(
            f"Python {VERSION} is required, and there is no python{VERSION} on the PATH."
        )
    return name


def _install(path: Path, *arguments: str) -> None:
    _run(str(path), "-m", "pip", "install", "-q", "--disable-pip-version-check", *arguments)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise EnvironmentSetupError(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")
