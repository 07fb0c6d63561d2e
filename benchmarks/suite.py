"""Everything side by side, as ratios: scripts/bench [GROUP…] [--quick] [--name MACHINE]

Groups are inference, training, eager, start, export, import and growth; memory is measured with inference and
training. Each side runs in a process of its own; they take turns, the others waiting. Ratios are medians over
the rounds, ours over the other, so less than 1 is faster, or smaller. What was measured while others used the
machine is marked with a `!`, and is not to be believed.

The table goes to the standard output, all of it as JSON and a picture to build/bench.json and .svg; with
`--name` to benchmarks/results/MACHINE.json and .svg, where results of machines are kept.
"""

import argparse
import contextlib
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import eager
import export
import importers
import start
import training
from _machine import Watchman, description
from training import OURS, Framework

from hybridonnx.pages.bars import Bar, bars

HERE = Path(__file__).resolve().parent
INFERENCE = {
    "lenet": 50,
    "resnet18": 10,
    "resnet50": 5,
    "mobilenetv2": 20,
    "densenet121": 5,
    "inceptionv3": 3,
    "transformer": 4,
    "lstm": 10,
}
"""By network: calls of a turn."""
IN_TORCH = ("resnet18", "mobilenetv2")
QUICK = {
    "inference": ("lenet", "resnet18"),
    "training": ("tutorial", "resnet18"),
    "eager": ("lenet",),
    "start": ("mobilenetv2_1.0",),
    "export": ("resnet50",),
    "import": ("products",),
}
CHAINS = 1000, 8000
"""Operators of a short and of a long graph."""
CALLS = 2000
"""With changing batches."""


class Row(NamedTuple):
    """One thing that all sides did."""

    group: str
    case: str
    unit: str
    sides: dict
    """By side what it took in each round; ours is the first."""
    fault: str = ""
    """What was wrong with the machine."""

    def medians(self):
        return {side: statistics.median(values) for side, values in self.sides.items()}

    def ratios(self):
        (_, ours), *others = self.sides.items()
        return {
            side: statistics.median(a / b for a, b in zip(ours, values, strict=True) if b)
            for side, values in others
        }


class Suite:
    """Measures groups, each a generator of rows by its name."""

    def __init__(self, options, folder):
        self._options, self._folder = options, folder

    def cases(self, group, names):
        """Those to measure."""
        return [name for name in names if not self._options.quick or name in QUICK[group]]

    def framework(self, name, python, script, *arguments):
        return Framework(name, python, script, *arguments, threads=self._options.threads)

    def turns(self, group, case, frameworks, steps):
        """The rows of processes that take turns: their time, and their memory."""
        try:
            for _ in range(self._options.rounds):
                for framework in frameworks:
                    framework.turn(steps)
        finally:
            for framework in frameworks:
                framework.close()
        yield Row(group, case, "ms", {f.name: f.times for f in frameworks})
        if group != "eager" and all(f.memory for f in frameworks):
            yield Row("memory", f"{group} {case}", "MiB", {f.name: [f.memory] for f in frameworks})

    def inference(self):
        options = self._options
        for network in self.cases("inference", INFERENCE):
            path = self._folder / f"{network}.onnx"
            command = [sys.executable, __file__, "--write", network, str(path)]
            subprocess.run(command, check=True)
            frameworks = [
                self.framework(OURS, sys.executable, "_eager_gluon.py", OURS, network, "hybridized")
            ]
            bare = "_session_run.py", str(path), str(options.threads)
            frameworks.append(self.framework("ONNX Runtime", sys.executable, *bare))
            if options.mxnet:
                gluon = "_eager_gluon.py", "mxnet", network, "hybridized"
                frameworks.append(self.framework("MXNet", options.mxnet, *gluon))
            if options.torch and network in IN_TORCH:
                script = "_training_torch.py", network, str(options.threads), "predict"
                frameworks.append(self.framework("PyTorch", options.torch, *script))
            yield from self.turns("inference", network, frameworks, INFERENCE[network])

    def training(self):
        for network in self.cases("training", training.STEPS):
            frameworks = training.start(network, self._options)
            yield from self.turns("training", network, frameworks, training.STEPS[network])

    def eager(self):
        for network in self.cases("eager", eager.STEPS):
            for mode in eager.MODES:
                frameworks = eager.start(network, mode, self._options)
                yield from self.turns("eager", f"{network}, {mode}", frameworks, eager.STEPS[network])

    def start(self):
        for name in self.cases("start", start.NETWORKS):
            folder = str(self._folder)
            start.run("write", name, folder, "0")
            turns = [start.turn(name, folder, f"cache-{name}-{i}") for i in range(self._options.rounds)]
            bare, alone, later, first, second = (
                [1000 * value for value in column] for column in zip(*turns, strict=True)
            )
            sides = {
                "second process": second,
                "first process": first,
                "no cache": alone,
                "no cache, later": later,
                "ONNX Runtime": bare,
            }
            yield Row("start", name, "ms", sides)

    def export(self):
        import hybridonnx as mx

        resnet = mx.gluon.model_zoo.vision.resnet50_v1()
        symbols = {"resnet50": resnet(mx.sym.var("data")), "bert": export.bert(mx)}
        for name in self.cases("export", symbols):
            prefix = str(self._folder / name)
            export.write(mx, symbols[name], prefix, export.SHAPES[name])
            with self.exporters() as exporters:
                sides = export.in_turns(
                    exporters,
                    self._options.rounds,
                    lambda exporter, case=(prefix, export.SHAPES[name]): exporter.time(*case),
                )
            yield Row(
                "export", name, "ms", {side: values for side, values in sides.items() if _is_number(values)}
            )

    @contextlib.contextmanager
    def exporters(self):
        exporters = {OURS: export.Exporter(sys.executable, export.OURS)}
        if self._options.mxnet:
            exporters["MXNet"] = export.Exporter(self._options.mxnet, export.MXNETS)
        try:
            yield exporters
        finally:
            for exporter in exporters.values():
                exporter.close()

    def import_(self):
        path = self._folder / "import.onnx"
        makers = {"chain": lambda: importers.chain(path, 4000), "products": lambda: importers.products(path)}
        for name in self.cases("import", makers):
            makers[name]()
            codes = {OURS: importers.BLOCK, "onnx.load": importers.LOAD}
            readers = {side: importers.Reader(sys.executable, code) for side, code in codes.items()}
            sides = export.in_turns(readers, self._options.rounds, lambda reader: reader.time(str(path))[1])
            for reader in readers.values():
                reader.close()
            yield Row("import", name, "ms", sides)

    def growth(self):
        import hybridonnx as mx

        sides = {}
        for size in reversed(CHAINS):
            prefix = str(self._folder / f"chain{size}")
            export.write(mx, export.chain(mx, size), prefix, (1, 4))
            exporter = export.Exporter(sys.executable, export.OURS)
            times = [1e6 * exporter.time(prefix, (1, 4)) / size for _ in range(self._options.rounds + 1)]
            exporter.close()
            sides[f"{size} operators"] = times[1:]
        yield Row("growth", "export, each operator", "us", sides)
        command = [sys.executable, str(HERE / "_batches_run.py"), str(CALLS)]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        before, after = map(float, text.split())
        sides = {f"after {CALLS} calls": [after], "before": [before]}
        yield Row("growth", "memory, batches change", "MiB", sides)


GROUPS = ("inference", "training", "eager", "start", "export", "import", "growth")


def _is_number(values):
    return all(value == value for value in values)


def measure(options, folder):
    """All rows, each with what was wrong with the machine meanwhile."""
    suite, watchman = Suite(options, folder), Watchman()
    for group in options.group or GROUPS:
        rows = getattr(suite, "import_" if group == "import" else group)()
        while True:
            watchman.begin()
            row = next(rows, None)
            if row is None:
                break
            if row.group != "memory":
                row = row._replace(fault=watchman.end())
            show(row)
            yield row


def show(row):
    """Print a line of the table."""
    medians, ratios = row.medians(), row.ratios()
    cells = [f"{side} {value:.4g}" for side, value in medians.items()]
    cells += [f"{ratio:.2f} of {side}" for side, ratio in ratios.items()]
    mark = f"  ! {row.fault}" if row.fault else ""
    print(f"{row.group:10} {row.case:24} {row.unit:4} {'; '.join(cells)}{mark}", flush=True)


def picture(rows, machine):
    """The ratios as bars, by group and case."""
    series = list(dict.fromkeys(side for row in rows for side in row.ratios()))
    groups = [
        (f"{row.group}: {row.case}", [_bar(row, series, side, ratio) for side, ratio in row.ratios().items()])
        for row in rows
    ]
    return bars(f"hybridonnx on {machine['processor']}", "ours / other", series, groups)


def _bar(row, series, side, ratio):
    values = [a / b for a, b in zip(next(iter(row.sides.values())), row.sides[side], strict=True) if b]
    return Bar(series.index(side), ratio, max(values), f"{row.case}, beside {side}: {ratio:.2f}")


def write(rows, options):
    """The file of the results and the picture beside it."""
    machine = description()
    path = HERE / "results" / f"{options.name}.json" if options.name else HERE.parent / "build" / "bench.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    result = {
        "machine": machine,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "threads": options.threads,
        "rounds": options.rounds,
        "rows": [{**row._asdict(), "medians": row.medians(), "ratios": row.ratios()} for row in rows],
    }
    path.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    path.with_suffix(".svg").write_text(picture(rows, machine), "utf-8")
    print(f"{path}, {path.with_suffix('.svg').name}")
    faults = sum(bool(row.fault) for row in rows)
    if faults:
        print(
            f"{faults} of {len(rows)} rows were measured while others used the machine: do not believe them."
        )


def write_network(network, path):
    """The ONNX file of a network of fixed sizes."""
    import _eager_gluon

    import hybridonnx as mx

    run = _eager_gluon.Run(mx, network, "predict")
    mx.onnx.export_model(run.net, path, input_shapes=[run.x.shape])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("group", nargs="*", choices=[[], *GROUPS], help="all unless some are named")
    parser.add_argument("--quick", action="store_true", help="a part of the networks, three rounds")
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter that has MXNet 1.9.1")
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter that has PyTorch")
    parser.add_argument("--rounds", type=int, help="7 by default")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of each side")
    parser.add_argument("--name", help="of the machine, whose results are to be kept")
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 7)
    options.steps = None
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        try:
            for row in measure(options, Path(folder)):
                rows.append(row)
        finally:  # what was measured until it was interrupted, or something failed
            if rows:
                write(rows, options)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write_network(*sys.argv[2:])
    else:
        main()
