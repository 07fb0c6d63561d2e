"""A bare session: python benchmarks/_session_run.py FILE THREADS, where suite.py says when to run."""

import sys

import _training_turns as turns
import numpy as np
import onnxruntime as ort

if __name__ == "__main__":
    options = ort.SessionOptions()
    options.intra_op_num_threads = int(sys.argv[2])
    session = ort.InferenceSession(sys.argv[1], options)
    (item,) = session.get_inputs()
    x = np.random.RandomState(0).standard_normal(item.shape).astype(np.float32)
    turns.take_turns(ort.__version__, 0, lambda: float(session.run(None, {item.name: x})[0].sum()))
