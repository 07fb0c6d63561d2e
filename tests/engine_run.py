"""A prediction of many rows by an engine, run by the interpreter that has it: what test_engines.py starts.

python tests/engine_run.py ENGINE MODEL ROWS FOLDER [OPTIONS as JSON]
"""

import json
import os
import sys

import hybridonnx as mx


class Slow:
    """A transform that takes its time, so that there is something to kill."""

    def __call__(self, row):
        import time

        time.sleep(0.004)
        return row


class Refuses:
    """A transform that cannot do one of the rows."""

    def __call__(self, row):
        if float(row[0, 0, 0].asscalar()) == 4711.0:
            raise mx.MXNetError("this row is refused.")
        return row


class Dies:
    """A transform that ends the process, the first time it is asked to."""

    def __init__(self, mark):
        self.mark = mark

    def __call__(self, row):
        if not os.path.exists(self.mark):
            open(self.mark, "w").close()
            os.kill(os.getpid(), 9)
        return row


if __name__ == "__main__":
    engine, model, rows, folder, *more = sys.argv[1:]
    options = json.loads(more[0]) if more else {}
    transforms = {"slow": Slow, "refuses": Refuses, "dies": Dies}
    name, *arguments = options.pop("transform", [""])
    transform = transforms[name](*arguments) if name else None
    predictor = mx.deploy.Predictor(model, transform=transform, threads=1)
    try:
        print(mx.deploy.predict(predictor, rows, folder, engine=engine, **options).to_json())
    except mx.MXNetError as exc:
        sys.exit(f"{type(exc).__name__}: {exc}")
