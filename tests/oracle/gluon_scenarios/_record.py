"""What a scenario shows, in a form that JSON can hold."""

import importlib
import inspect
import json
import tempfile
import traceback
import warnings
from pathlib import Path


class Record:
    """Called with values, it keeps them; `folder` is a place for files."""

    def __init__(self, folder):
        self.folder = folder
        self.items = []

    def __call__(self, *values):
        self.items += [plain(value) for value in values]

    def error(self, fn, *args, **kwargs):
        """Keep the classes of the error that a call raises."""
        try:
            fn(*args, **kwargs)
        except Exception as exc:  # noqa: BLE001  (of any type)
            self.items.append({"error": [c.__name__ for c in type(exc).__mro__]})
        else:
            self.items.append("no error")

    def outcome(self, fn, *args, **kwargs):
        """Keep what a call gives, or the classes of its error."""
        try:
            self(fn(*args, **kwargs))
        except Exception as exc:  # noqa: BLE001  (of any type)
            self.items.append({"error": [c.__name__ for c in type(exc).__mro__]})

    def warned(self, fn, *args, **kwargs):
        """Keep the classes of the warnings that a call gives, and return its result."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = fn(*args, **kwargs)
        self.items.append([w.category.__name__ for w in caught])
        return result

    def path(self, name):
        """A file in the folder, as text."""
        return str(self.folder / name)


def plain(value):
    """The value in numbers, texts and lists; objects as their text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "asnumpy") and hasattr(value, "context"):
        return {
            "array": value.asnumpy().tolist(),
            "dtype": str(value.asnumpy().dtype),
            "on": str(value.context),
        }
    if isinstance(value, tuple):
        return {"tuple": [plain(v) for v in value]}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict) or (hasattr(value, "items") and hasattr(value, "keys")):
        return {"items": [[str(k), plain(v)] for k, v in value.items()]}
    if hasattr(value, "list_outputs"):
        return {"symbol": value.list_outputs(), "of": value.list_inputs()}
    if hasattr(value, "tolist") and not isinstance(value, type):
        return value.tolist()
    return str(value)


def scenarios(module):
    """The scenarios of a module by name, in the order of their writing."""
    return {
        name: fn
        for name, fn in vars(module).items()
        if inspect.isfunction(fn) and fn.__module__ == module.__name__ and not name.startswith("_")
    }


def run(scenario, mx, folder):
    """What a scenario shows, with names numbered from 0."""
    show = Record(folder)
    with mx.name.NameManager(), mx.Context("cpu", 0):
        scenario(mx, show)
    return show.items


def write(mx, kind, names):
    """Write what the scenarios of some modules show, or of all, into the file of their kind, in its order."""
    warnings.simplefilter("ignore")
    oracle = Path(__file__).resolve().parents[1]
    file = oracle / f"{kind}.json"
    facts = json.loads(file.read_text()) if file.exists() else {}
    for name in names or sorted(path.stem for path in (oracle / f"{kind}_scenarios").glob("[!_]*.py")):
        known = scenarios(importlib.import_module(f"tests.oracle.{kind}_scenarios.{name}"))
        facts = {k: fact for k, fact in facts.items() if k.split(".")[0] != name or k.split(".")[1] in known}
        for title, scenario in known.items():
            with tempfile.TemporaryDirectory() as folder:
                try:
                    facts[f"{name}.{title}"] = run(scenario, mx, Path(folder))
                except Exception:  # noqa: BLE001  (of any type)
                    print(f"{name}.{title}:")
                    traceback.print_exc(limit=-4)
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in facts.items()]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")
