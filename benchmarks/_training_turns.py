"""What the processes of training.py share: the data, and taking turns. Runs where there is only NumPy."""

import json
import sys
import time

import numpy as np

try:
    import resource
except ImportError:  # Windows
    resource = None

IMAGES = {"tutorial": ((64, 1, 28, 28), 10), "resnet18": ((8, 3, 224, 224), 1000)}
IMAGES["mobilenetv2"] = IMAGES["resnet18"]
"""By network: the shape of a batch, and the number of classes."""

WORDS, UNITS, LAYERS, DROPOUT, LENGTH, BATCH = 10000, 200, 2, 0.2, 35, 32
"""The language model: words it knows, size of embedding and states, layers; steps in time, sequences."""

ENCODER, HEADS, TOKENS, WIDTH, TEXTS = 256, 4, 1000, 64, 8
"""The transformer: units of its four layers, heads, words it knows; words of a text, texts."""

RATES = {"tutorial": 0.02, "resnet18": 0.01, "mobilenetv2": 0.01, "lstm": 1.0, "transformer": 0.01}
MOMENTUM = 0.9


def batch(network):
    """Inputs and labels: the same numbers in every framework, and for every step."""
    rng = np.random.RandomState(0)
    if network == "lstm":
        text = rng.randint(0, WORDS, (LENGTH + 1, BATCH))
        return text[:-1], text[1:].reshape(-1)
    if network == "transformer":
        words = rng.randint(0, TOKENS, (WIDTH, TEXTS))
        return words, words.reshape(-1)
    shape, classes = IMAGES[network]
    return rng.standard_normal(shape).astype(np.float32), rng.randint(0, classes, shape[0])


def take_turns(version, parameters, step, finish=lambda: None):
    """Tell what runs here, then take as many steps as each line of input says, and tell what it gave."""
    print(json.dumps({"version": version, "parameters": parameters}), flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        losses = [step() for _ in range(int(line))]
        finish()
        milliseconds = 1000 * (time.perf_counter() - start)
        answer = {"milliseconds": milliseconds, "losses": losses, "memory": peak()}
        print(json.dumps(answer), flush=True)


def peak():
    """MiB of memory that this process has had at most, if the system tells."""
    if resource is None:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2 ** (20 if sys.platform == "darwin" else 10)
