"""`verify` beside Polygraphy: false alarms, faults found, the first wrong value named, and the time of each.

    python benchmarks/polygraphy.py --polygraphy PYTHON [--part PART …] [--network NAME …]

PYTHON is an interpreter that has polygraphy, onnx, onnxruntime and onnx_graphsurgeon, with the command
`polygraphy` beside it. Both compare the same files on the same inputs. Times are the
processor's, all processes on one core.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import hybridonnx as mx  # noqa: E402
from tests.parity_faults import ZOO, faults, shows, zoo  # noqa: E402

PARTS = ("times", "alarms", "faults", "reduce")
KINDS = ("normal", "bytes")
NETWORKS = ("mobilenet0.25", "resnet18_v1", "squeezenet1.1")
COMPARE = ROOT / "benchmarks" / "_polygraphy_compare.py"
LEVELS = ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL")
BEFORE, AFTER = (1, 2, 3), (4, 5, 6)
"""Seeds of the inputs by which tolerances are chosen, and of those on which false alarms are counted."""
BOUNDS, OUTPUTS = ("verify", "all layers"), ("verify", "outputs")
DOUBLE = 20 * np.log10(2)
"""A factor of two in dB."""


class Polygraphy:
    """A process that compares what it is told to."""

    def __init__(self, python):
        self.command = str(Path(python).with_name("polygraphy"))
        self._process = subprocess.Popen(
            [python, "-P", str(COMPARE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, **job):
        """The answer to one job."""
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        return json.loads(line) if line else sys.exit(f"Polygraphy ended with {self._process.wait()}")


class Network:
    """A network of the zoo in a folder: its own files, and files of ONNX in float32 and float16."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        mx.random.seed(0)
        net, self.x = zoo(name)
        net.export(str(folder / "net"))
        self.path = str(folder / "net.onnx")
        self.half = str(folder / "half.onnx")
        mx.onnx.export_model(net, self.path, input_shapes=[self.x.shape])
        mx.onnx.export_model(net, self.half, input_shapes=[self.x.shape], precision="float16")
        self.native = mx.model.load_checkpoint(str(folder / "net"), 0)
        graph = onnx.load(self.path).graph
        self.order = [name for node in graph.node for name in node.output]
        self.outputs = [value.name for value in graph.output]

    def input(self, kind, seed):
        """An array, and a file of it: standard normal numbers, or bytes."""
        rng = np.random.RandomState(seed)
        x = rng.standard_normal(self.x.shape) if kind == "normal" else rng.randint(0, 256, self.x.shape)
        path = self.folder / f"{kind}{seed}.npz"
        np.savez(path, data=x.astype("float32"))
        return x.astype("float32"), str(path)

    def results(self, x):
        """The network's own values, on the kernels, as a side of a comparison."""
        symbol, args, states = self.native
        inside = symbol.get_internals()
        names = [name for name in self.order if name in set(inside.list_outputs())]
        group = mx.sym.Group([inside[name] for name in names])
        executor = group.bind(mx.cpu(), {**args, "data": mx.nd.array(x)}, aux_states=states)
        arrays = [value.asnumpy() for value in executor.forward(is_train=False)]
        path = self.folder / "results.npz"
        np.savez(path, **dict(zip(names, arrays, strict=True)))
        return {"results": str(path), "outputs": self.outputs}

    def first(self, place, x):
        """What the second side is compared with, for Polygraphy and for `verify`."""
        if place in ("network", "half"):
            return self.results(x), self.native
        return {"path": self.path, **({"level": LEVELS[0]} if place == "levels" else {})}, self.path

    def rights(self, place):
        """The right models to be compared with it: files and levels."""
        path = self.half if place == "half" else self.path
        levels = {"file": LEVELS[-1:], "half": LEVELS[-1:], "levels": LEVELS[1:], "network": LEVELS}[place]
        return [{"path": path, "level": level} for level in levels]

    def failures(self, values, fails):
        """The names of values that fail, in the order of the file."""
        return [name for name in self.order if name in values and fails(name, *values[name])]


# ---- ways to judge what Polygraphy gives


def default(_):
    """Polygraphy's own tolerances, 1e-5 and 1e-5."""
    return lambda name, passed, least, ratio: not passed


def one_tolerance(right):
    """The least tolerance that accepts all values of right models."""
    most = max((least for values in right for _, least, _ in values.values()), default=0.0)
    return lambda name, passed, least, ratio: least > most


def tolerance_by_value(right):
    """The least tolerance of each value that accepts right models."""
    most = {name: max(values[name][1] for values in right) for name in right[0]}
    return lambda name, passed, least, ratio: least > most[name]


def one_ratio(right):
    """The largest ratio of signal to noise that all values of right models have."""
    worst = min(ratio for values in right for _, _, ratio in values.values())
    return lambda name, passed, least, ratio: ratio < worst


def ratio_by_value(right):
    """The largest ratio of signal to noise that each value has in right models."""
    worst = {name: min(values[name][2] for values in right) for name in right[0]}
    return lambda name, passed, least, ratio: ratio < worst[name]


def twice(values):
    """Values as if they were twice as far off."""
    return {name: (passed, 2 * least, ratio - DOUBLE) for name, (passed, least, ratio) in values.items()}


RULES = {
    ("outputs", "default tolerances"): default,
    ("outputs", "one tolerance"): one_tolerance,
    ("all values", "default tolerances"): default,
    ("all values", "one tolerance"): one_tolerance,
    ("all values", "a tolerance each"): tolerance_by_value,
    ("all values", "one SNR"): one_ratio,
    ("all values", "an SNR each"): ratio_by_value,
}
"""What Polygraphy compares, and by what; all but the defaults grant twice the error of right models."""


class Judges:
    """Polygraphy with rules that are chosen by right models, and `verify`."""

    def __init__(self, network, polygraphy, place, kind="normal"):
        self._network, self._polygraphy, self.place, self._kind = network, polygraphy, place, kind
        rights = {"outputs": [], "all values": []}
        for seed in BEFORE:
            x, path = network.input(kind, seed)
            side, _ = network.first(place, x)
            for second in network.rights(place):
                for extent, values in self._values(side, second, path).items():
                    rights[extent].append(twice(values))
        self._rules = {way: rule(rights[way[0]]) for way, rule in RULES.items()}
        self.tolerance = max(least for values in rights["all values"] for _, least, _ in values.values())

    def _values(self, first, second, inputs):
        job = {"first": first, "second": second, "inputs": inputs}
        extents = {"outputs": False, "all values": True}
        return {
            extent: self._polygraphy.ask(**job, layers=layers)["values"] for extent, layers in extents.items()
        }

    def judge(self, second, x, inputs):
        """By way, the names of values that are at fault, in the order of the file."""
        side, first = self._network.first(self.place, x)
        values = self._values(side, second, inputs)
        found = {way: self._network.failures(values[way[0]], fails) for way, fails in self._rules.items()}
        report = mx.onnx.verify(first, session(second), [x], layers=True)
        found[OUTPUTS] = [output.name for output in report.outputs if not output.ok()]
        found[BOUNDS] = [layer.name for layer in report.layers if not layer.ok()] or found[OUTPUTS]
        return found

    def alarms(self):
        """How many right models each way takes for wrong ones, and of how many."""
        counts, trials = Counter(), 0
        for seed in AFTER:
            x, path = self._network.input(self._kind, seed)
            for second in self._network.rights(self.place):
                trials += 1
                counts.update(way for way, names in self.judge(second, x, path).items() if names)
        return counts, trials


def session(side):
    """An open session of a file at a level."""
    options = ort.SessionOptions()
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, side["level"])
    options.intra_op_num_threads = 1
    return ort.InferenceSession(side["path"], options, providers=["CPUExecutionProvider"])


# ---- single faults


def planted(network, path, count):
    """So many faults, each in a file, with the first value of the network that is another one by it."""
    right, done = onnx.load(path), 0
    for fault in faults(right, 2 * count):
        name = after(fault.model, fault.value, set(network.order))
        if done == count:
            return
        if not shows(right, fault._replace(value=name), network.x):
            continue
        done += 1
        wrong = str(network.folder / "wrong.onnx")
        onnx.save(fault.model, wrong)
        yield fault, wrong, name


def after(model, value, names):
    """The first value of these names that is the value or depends on it."""
    behind = {value}
    if value in names:
        return value
    for node in model.graph.node:
        if behind.intersection(node.input):
            behind.update(node.output)
            if names.intersection(node.output):
                return node.output[0]
    raise ValueError(f"nothing depends on {value}")


def count_faults(network, judges, count):
    """By way, how many faults are found, and how many first values are named rightly; and of how many."""
    found, named, trials = Counter(), Counter(), 0
    x, inputs = network.input("normal", AFTER[0])
    for fault, wrong, name in planted(
        network, network.half if judges.place == "half" else network.path, count
    ):
        trials += 1
        for way, names in judges.judge({"path": wrong, "level": LEVELS[-1]}, x, inputs).items():
            found[way] += bool(names)
            named[way] += names[:1] == [name]
            if way == BOUNDS and names[:1] != [name]:
                got = names[0] if names else "missed"
                print(f"  {judges.place}: {fault.kind} at {name}: {got}", flush=True)
    return found, named, trials


# ---- reducing


def reduce(network, polygraphy, wrong, place, tolerance, options):
    """Nodes that `debug reduce` leaves, none if it sees no fault, and CPU seconds of all its processes."""
    command = [polygraphy.command, "debug", "reduce", wrong, "-o", "reduced.onnx", *options]
    inputs = ["--load-inputs", f"{place}_inputs.json"]
    command += [*inputs, "--check", polygraphy.command, "run", "polygraphy_debug.onnx", "--onnxrt"]
    command += [*inputs, "--load-outputs", f"{place}_outputs.json"]
    command += [f"--atol={tolerance:g}", f"--rtol={tolerance:g}"]
    reduced = network.folder / "reduced.onnx"
    reduced.unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=network.folder, capture_output=True, text=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return list(onnx.load(reduced).graph.node) if reduced.exists() else [], seconds


def reduce_some(network, polygraphy, count):
    """Reduce models with a fault each, of several kinds, and print what is left and where the fault is."""
    x, inputs = network.input("normal", AFTER[0])
    enough = Judges(network, polygraphy, "network").tolerance
    for place in ("file", "network"):
        side, _ = network.first(place, x)
        polygraphy.ask(first=side, inputs=inputs, golden=str(network.folder / place))
    ways = [("file", 1e-5, ()), ("network", enough, ()), ("network", enough, ("--no-reduce-inputs",))]
    kinds = set()
    for fault, wrong, name in planted(network, network.path, 2 * count):
        if fault.kind in kinds or len(kinds) == count:
            continue
        kinds.add(fault.kind)
        for way in ways:
            nodes, seconds = reduce(network, polygraphy, wrong, *way)
            places = [i for i, node in enumerate(nodes, 1) if name in node.output]
            place = f"the fault at {places[0]}" if places else "without the fault"
            show(network, fault, f"reduce, {way}", len(nodes), place, seconds)
        start = time.process_time()
        report = mx.onnx.verify(network.path, wrong, [x], layers=True)
        seconds = time.process_time() - start
        nodes = [layer.nodes for layer in report.layers if layer.name == name and not layer.ok()]
        place = "the fault" if nodes else "without the fault"
        show(network, fault, "verify", len(nodes[0]) if nodes else 0, place, seconds)


def show(network, fault, way, left, place, seconds):
    print(f"| {network.name} | {fault.kind} | {way} | {left} left, {place} | {seconds:.1f} s |", flush=True)


# ---- time and tables


def times(network, polygraphy, rounds):
    """Medians of CPU seconds of a comparison of a file with itself, in turns."""
    x, inputs = network.input("normal", AFTER[0])
    side = {"path": network.path}
    taken = {}
    for _ in range(rounds):
        for extent, layers in (("outputs", False), ("all values", True)):
            start = time.process_time()
            mx.onnx.verify(network.path, network.path, [x], layers=layers)
            taken.setdefault(("verify", extent), []).append(time.process_time() - start)
            answer = polygraphy.ask(first=side, second=side, inputs=inputs, layers=layers)
            taken.setdefault(("Polygraphy", extent), []).append(answer["seconds"])
    return {way: statistics.median(values) for way, values in taken.items()}


def table(title, columns):
    """Print counts by way: columns are a head, counts and of how many."""
    print(f"\n| {title} | " + " | ".join(f"{head}, of {count}" for head, _, count in columns) + " |")
    print("|---|" + "---|" * len(columns))
    for way in [*RULES, OUTPUTS, BOUNDS]:
        numbers = [
            "" if head.endswith("named") and "outputs" in way else str(counts[way])
            for head, counts, _ in columns
        ]
        print(f"| {', '.join(way)} | {' | '.join(numbers)} |")
    sys.stdout.flush()


def count_alarms(network, polygraphy):
    """Columns of false alarms by their heads."""
    return {
        f"{place}, {kind}: alarms": Judges(network, polygraphy, place, kind).alarms()
        for place, kinds in (("levels", KINDS), ("network", KINDS), ("half", KINDS[:1]))
        for kind in kinds
    }


def measure(network, polygraphy, options):
    """Columns of false alarms and of faults by their heads; the rest is printed."""
    columns, parts = {}, options.part or PARTS
    if "times" in parts:
        for (tool, extent), seconds in times(network, polygraphy, options.rounds).items():
            print(f"{network.name}: {tool}, {extent}: {seconds:.2f} s", flush=True)
    if "alarms" in parts:
        columns |= count_alarms(network, polygraphy)
    for place in ("file", "network", "half") if "faults" in parts else ():
        found, named, trials = count_faults(network, Judges(network, polygraphy, place), options.faults)
        columns |= {f"{place}: found": (found, trials), f"{place}: named": (named, trials)}
    if "reduce" in parts:
        reduce_some(network, polygraphy, options.reduce)
    return columns


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--polygraphy", metavar="PYTHON", required=True)
    parser.add_argument("--part", action="append", choices=PARTS, help="may be said again; all by default")
    parser.add_argument("--network", action="append", choices=ZOO, help="may be said again")
    parser.add_argument("--faults", type=int, default=24, help="in each network")
    parser.add_argument("--reduce", type=int, default=4, help="so many of them")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    polygraphy, totals = Polygraphy(options.polygraphy), {}
    for name in options.network or NETWORKS:
        with tempfile.TemporaryDirectory() as folder:
            columns = measure(Network(name, Path(folder)), polygraphy, options)
        if columns:
            table(name, [(head, *column) for head, column in columns.items()])
        for head, (counts, trials) in columns.items():
            sums, number = totals.get(head, (Counter(), 0))
            totals[head] = sums + counts, number + trials
    if totals and len(options.network or NETWORKS) > 1:
        table("all", [(head, *column) for head, column in totals.items()])


if __name__ == "__main__":
    main()
