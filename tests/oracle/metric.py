"""Writes metric.json: what the metrics of real MXNet 1.9.1 give for the snippets below.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/metric.py

Each group is a list of [snippet, what it gave], see ../snippets.py; `names` has the public names of mx.metric
and the signatures of their constructors.
"""

import inspect
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx
from mxnet import metric, nd

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent))

from snippets import lines, outcome  # noqa: E402

VALUES = """
def v(*shape, seed=0):
    return nd.array(np.random.RandomState(seed + sum(shape)).uniform(0.05, 0.95, shape))
def k(*shape, high=2, seed=0):
    return nd.array(np.random.RandomState(seed + 7 * sum(shape)).randint(0, high, shape))
def fed(e, *batches):
    seen = []
    for label, pred in batches:
        e.update(label, pred)
        seen.append((e.get(), e.get_global(), float(e.num_inst)))
    e.reset_local()
    seen.append((e.get(), e.get_global()))
    e.update(*batches[-1])
    seen.append((e.get(), e.get_global()))
    e.reset()
    return [*seen, e.get(), e.get_global()]
def classes(n, c=3, seed=0):
    return [k(n, high=c, seed=seed)], [v(n, c, seed=seed)]
"""

UPDATES = [
    ("metric.Accuracy()", "classes(4), classes(5)"),
    ("metric.Accuracy()", "(k(4), k(4, seed=1)), (k(3, 2), v(3, 2, 2))"),
    ("metric.Accuracy(axis=2)", "(k(3, 2), v(3, 2, 2))"),
    ("metric.Accuracy(axis=0)", "(k(4), v(2, 4))"),
    ("metric.Accuracy(axis=-1)", "([k(4), k(4)], [v(4, 2), v(4, 2, seed=3)])"),
    ("metric.Accuracy()", "(k(3, 1), v(3, 2))"),
    ("metric.Accuracy()", "(k(3, 1), v(3, 1))"),
    ("metric.TopKAccuracy(2)", "classes(6, 4), classes(5, 4)"),
    ("metric.TopKAccuracy(top_k=5)", "classes(6, 4)"),
    ("metric.TopKAccuracy(3)", "([k(4), k(4)], [v(4, 5), v(4, 5, seed=3)])"),
    ("metric.TopKAccuracy(2)", "([k(4)], [k(4, seed=3)])"),
    ("metric.TopKAccuracy(2)", "([k(4, 1)], [v(4, 3, seed=3)])"),
    ("metric.F1()", "classes(6, 2), classes(9, 2, 1), classes(8, 2, 2)"),
    ("metric.F1(average='micro')", "classes(6, 2), classes(9, 2, 1), classes(8, 2, 2)"),
    ("metric.F1(average='other')", "classes(6, 2), classes(9, 2, 1)"),
    ("metric.F1()", "([k(6), k(6)], [v(6, 2), v(6, 2, seed=1)])"),
    ("metric.F1(average='micro')", "([k(6), k(6)], [v(6, 2), v(6, 2, seed=1)])"),
    ("metric.F1()", "([nd.zeros(3)], [nd.array([[1, 0], [1, 0], [1, 0]])])"),
    ("metric.MCC()", "classes(6, 2), classes(9, 2, 1), classes(8, 2, 2)"),
    ("metric.MCC(average='micro')", "classes(6, 2), classes(9, 2, 1), classes(8, 2, 2)"),
    ("metric.MCC()", "([nd.zeros(3)], [nd.array([[1, 0], [1, 0], [1, 0]])])"),
    ("metric.MCC()", "([nd.zeros(3)], [nd.array([[1, 0], [0, 1], [1, 0]])])"),
    ("metric.Perplexity(None)", "classes(4), classes(5)"),
    ("metric.Perplexity(1)", "classes(4), classes(5)"),
    ("metric.Perplexity(ignore_label=0, axis=1)", "([k(2, 3)], [v(2, 3, 4)])"),
    ("metric.Perplexity(-1)", "([k(2, 3)], [v(2, 3, 4)])"),
    ("metric.Perplexity(ignore_label=1)", "([nd.ones(2)], [v(2, 3)])"),
    ("metric.Perplexity(None)", "([k(4), k(5)], [v(4, 3), v(5, 3)])"),
    *(
        (f"metric.{name}()", batches)
        for name in ("MAE", "MSE", "RMSE")
        for batches in (
            "([v(4)], [v(4, seed=1)]), ([v(3)], [v(3, seed=1)])",
            "([v(4, 2)], [v(4, 2, seed=1)])",
            "([v(4)], [v(4, 1, seed=1)])",
            "([v(4, 1)], [v(4, seed=1)])",
            "([v(4), v(2)], [v(4, seed=1), v(2, seed=1)])",
            "(v(2, 3, 2), v(2, 3, 2, seed=1)), (v(4), v(4, seed=1))",
            "([v(4)], [v(4, 2)])",
        )
    ),
    ("metric.CrossEntropy()", "classes(4), classes(5)"),
    ("metric.CrossEntropy(eps=0.1)", "([k(2, 3)], [v(6, 4)])"),
    ("metric.CrossEntropy()", "([k(4), k(5)], [v(4, 3), v(5, 3)])"),
    ("metric.NegativeLogLikelihood()", "classes(4), classes(5)"),
    ("metric.NegativeLogLikelihood(eps=0.1)", "([k(2, 3)], [v(6, 4)])"),
    ("metric.PearsonCorrelation()", "([v(4)], [v(4, seed=1)]), ([v(3)], [v(3, seed=1)])"),
    ("metric.PearsonCorrelation()", "([v(4, 2)], [v(4, 2, seed=1)])"),
    ("metric.PearsonCorrelation()", "([v(4), v(3)], [v(4, seed=1), v(3, seed=1)])"),
    ("metric.PearsonCorrelation(average='micro')", "([v(4)], [v(4, seed=1)]), ([v(3)], [v(3, seed=1)])"),
    ("metric.PearsonCorrelation(average='micro')", "([v(4, 2)], [v(4, 2, seed=1)])"),
    ("metric.PearsonCorrelation(average='micro')", "([v(4), v(3)], [v(4, seed=1), v(3, seed=1)])"),
    ("metric.PCC()", "classes(9), classes(7, 4), classes(8, 2)"),
    ("metric.PCC()", "([k(6), k(6)], [v(6, 3), v(6, 3, seed=1)])"),
    ("metric.PCC(has_global_stats=False)", "classes(9)"),
    ("metric.PCC()", "([nd.zeros(3)], [nd.array([[1, 0], [1, 0], [1, 0]])])"),
    ("metric.PCC()", "(k(3, 2), v(3, 2, 2))"),
    ("metric.PCC()", "([nd.array([0, 5, 2])], [v(3, 3)])"),
    ("metric.PCC()", "([nd.array([0, 1, 2])], [nd.array([0, 1, 1])])"),
    ("metric.Loss()", "(None, [v(4)]), (None, [v(3), v(2, 2)])"),
    ("metric.Loss()", "(None, v(4))"),
    ("metric.Torch()", "(None, [v(4)])"),
    ("metric.Caffe()", "(None, [v(4)])"),
    ("metric.CustomMetric(lambda label, pred: abs(label - pred).mean())", "([v(4)], [v(4, seed=1)])"),
    ("metric.CustomMetric(lambda label, pred: (3.0, 2), name='mine')", "([v(4), v(2)], [v(4), v(2)])"),
    ("metric.CustomMetric(lambda l, p: l.sum() - p.max(), 'x', allow_extra_outputs=True)",
     "([v(4)], [v(4, seed=1), v(2)])"),
    ("metric.CustomMetric(lambda label, pred: 1.0)", "([v(4)], [v(4), v(2)])"),
    ("metric.np(lambda label, pred: float((label == pred.argmax(1)).mean()))", "classes(4), classes(5)"),
    ("metric.CompositeEvalMetric([metric.Accuracy(), 'mse'])", "([k(4)], [k(4, seed=1)])"),
]  # fmt: skip

MISTAKES = """
e = metric.Accuracy()
e.update([k(3)], [v(4, 2)])

e = metric.Accuracy()
e.update([k(3)], [v(3, 2), v(3, 2)])

e = metric.Accuracy()
e.update([np.zeros(3)], [np.zeros((3, 2))])

e = metric.F1()
e.update([nd.array([0, 1, 2])], [v(3, 2)])

e = metric.MCC()
e.update([nd.array([0, 1, 2])], [v(3, 2)])

e = metric.F1()
e.update([nd.array([0, 1])], [v(3, 2)])

metric.TopKAccuracy(1)

metric.TopKAccuracy(2).update([k(4)], [v(4, 3, 2)])

metric.TopKAccuracy(2).update([k(3)], [v(4, 3)])

metric.Perplexity(None).update([k(3)], [v(4, 3)])

metric.Perplexity(None).update([k(4), k(3)], [v(4, 3)])

metric.CrossEntropy().update([k(3)], [v(4, 3)])

metric.NegativeLogLikelihood().update([k(3)], [v(4, 3)])

metric.MSE().update([v(4), v(3)], [v(4)])

metric.MSE().update([v(4)], [v(3)])

metric.PearsonCorrelation().update([v(4)], [v(4, 1)])

metric.PearsonCorrelation().update([v(4)], [v(3)])

metric.PCC().update([k(3)], [v(4, 3)])

metric.create('nonsense')

metric.create(3)

metric.create(None)

metric.Accuracy().update_dict({'a': v(2)}, {'b': v(2)})

metric.Accuracy(output_names=['x']).update_dict({'a': v(2)}, {'b': v(2)})

metric.EvalMetric('x').update([v(2)], [v(2)])

metric.CompositeEvalMetric().get_metric(3)

metric.check_label_shapes([v(2)], [v(2), v(3)])

metric.check_label_shapes(v(2), v(3), shape=True)

metric.check_label_shapes(v(2), v(2, 3), wrap=True)

metric.check_label_shapes([v(2)], [v(3)], shape=True)

metric.Perplexity()

metric.CrossEntropy().update([nd.array([3])], [v(1, 3)])

metric.register(3)
"""

LIFE = """
str(metric.Accuracy())

str(metric.create(['acc', 'mae']))

metric.Accuracy().get_name_value()

metric.Accuracy().get_global_name_value()

metric.create(['acc', 'rmse']).get_name_value()

metric.create(['acc', 'rmse']).get_global_name_value()

metric.create(['acc', 'rmse']).get()

metric.CompositeEvalMetric().get()

metric.CompositeEvalMetric(name='c').name

metric.CompositeEvalMetric().get_config()

metric.CompositeEvalMetric(['acc', metric.TopKAccuracy(3)]).get_config()

metric.EvalMetric('x').get()

metric.EvalMetric('x', foo=3).get_config()

metric.EvalMetric('x', has_global_stats=True).get_config()

e = metric.CompositeEvalMetric()
e.add('acc')
e.add(metric.MSE(name='second'))
e.get()

metric.CompositeEvalMetric(['acc', 'mse']).get_metric(1).name

e = metric.create(['acc', 'ce'])
e.update_dict({'softmax_label': k(4)}, {'softmax_output': v(4, 2)})
e.get_name_value()

e = metric.Accuracy(output_names=['x'], label_names=['l'])
e.update_dict({'m': v(2), 'l': k(4)}, {'x': v(4, 2), 'y': v(3)})
e.get()

e = metric.CompositeEvalMetric(['acc'], output_names=['x'], label_names=['l'])
e.update_dict({'m': v(2), 'l': k(4)}, {'x': v(4, 2), 'y': v(3)})
e.get()

e = metric.Accuracy(output_names=['x'])
e.update_dict({'l': k(4)}, {'x': v(4, 2), 'y': v(3)})
e.get()

e = metric.MSE(name=['a', 'b'])
(e.get(), e.name)

def feval(label, pred):
    return float(abs(label - pred).sum())
e = metric.np(feval)
(e.name, e.get_name_value(), feval.__name__)

metric.np(lambda l, p: 1.0, name='z').name

metric.np(lambda l, p: 1.0, 'z', True)._allow_extra_outputs

metric.CustomMetric(lambda l, p: 1.0).name

metric.create(lambda l, p: 1.0).name

metric.CustomMetric(lambda l, p: 1.0).get_config()

metric.create('acc').get_config()

metric.create('top_k_accuracy', top_k=3).get_config()

metric.create('top_k_acc', 3).name

metric.create('ACC').name

metric.create(metric.Accuracy(name='q')).name

type(metric.create(metric.create('ce').get_config())).__name__

metric.create({'metric': 'acc', 'axis': 2}).axis

metric.create('["acc", {"axis": 2}]').axis

metric.create('{"metric": "acc", "axis": 2}').axis

type(metric.create('acc')).__name__

metric.check_label_shapes(v(2), v(3))

[type(each).__name__ for each in metric.check_label_shapes(v(2), v(2), wrap=True)]

metric.check_label_shapes([v(2)], [v(3)])

[len(each) for each in metric.check_label_shapes([v(2)], [v(3)])]

class Mine(metric.EvalMetric):
    def __init__(self):
        super().__init__('mine')
    def update(self, labels, preds):
        self.sum_metric += 2
        self.num_inst += 1
metric.register(Mine)
e = metric.create('mine')
e.update([], [])
(e.get(), e.get_global(), str(e))

@metric.register
@metric.alias('other', 'names')
class Two(metric.EvalMetric):
    pass
(metric.create('names', 'n').name, metric.create('two', 'n').name)

metric.Accuracy().sum_metric

metric.Accuracy().global_sum_metric

metric.Accuracy().global_num_inst

sorted(a for a in vars(metric.Accuracy()) if not a.startswith('_'))

sorted(a for a in vars(metric.TopKAccuracy(2)) if not a.startswith('_'))

sorted(a for a in vars(metric.F1()) if not a.startswith('_'))

sorted(a for a in vars(metric.Perplexity(None)) if not a.startswith('_'))

sorted(a for a in vars(metric.CrossEntropy()) if not a.startswith('_'))

sorted(a for a in vars(metric.PearsonCorrelation()) if not a.startswith('_'))

sorted(a for a in vars(metric.PCC()) if not a.startswith('_'))

e = metric.Accuracy()
e.update(k(8), v(8, 2))
(e.sum_metric, e.num_inst, e.global_sum_metric, e.global_num_inst)

e = metric.Loss()
e.update(0, [nd.array([1, 2], dtype='float16')])
e.get()

e = metric.Accuracy()
e.update([k(4).astype('int64')], [v(4, 2).astype('float64')])
e.get()

e = metric.MSE()
e.update([v(4).astype('float16')], [v(4, seed=1).astype('float64')])
e.get()
"""

NICKNAMES = (
    "acc accuracy top_k_accuracy top_k_acc topkaccuracy f1 mcc perplexity mae mse rmse ce crossentropy "
    "cross-entropy nll_loss nll-loss negativeloglikelihood pearsonr pearsoncorrelation pcc loss torch caffe "
    "composite compositeevalmetric custommetric custom evalmetric np binaryaccuracy fbeta".split()
)


def created(name):
    """A snippet that creates a metric by a name."""
    needed = {"perplexity": ", None"}.get(name, ", 2" if name.startswith("top") else "")
    if name == "evalmetric":
        needed = ", 'n'"
    if name.startswith("custom"):
        needed = ", max"
    return f"e = metric.create('{name}'{needed})\n(type(e).__name__, e.name)"


def signatures():
    """The constructors of classes and the functions of the module."""
    texts = {}
    for name, value in vars(metric).items():
        if not name.startswith("_") and getattr(value, "__module__", "") == "mxnet.metric":
            texts[name] = str(inspect.signature(value))
    return dict(sorted(texts.items()))


def main():
    """Write the file."""
    texts = {
        "update": [f"fed({constructor}, {batches})" for constructor, batches in UPDATES],
        "mistakes": lines(MISTAKES),
        "life": LIFE.strip().split("\n\n"),
        "names": [created(name) for name in NICKNAMES],
    }
    facts = {}
    scope = {"mx": mx, "nd": nd, "metric": metric}
    for group, each in texts.items():
        facts[group] = [[text, outcome(VALUES + text, **scope)] for text in each]
    facts = {"values": VALUES, "signatures": signatures(), **facts}
    parts = []
    for group, rows in facts.items():
        if isinstance(rows, list):
            text = "[\n  " + ",\n  ".join(json.dumps(row) for row in rows) + "\n ]"
        else:
            text = json.dumps(rows, indent=1)
        parts.append(f" {json.dumps(group)}: {text}")
    (FOLDER / "metric.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")


main()
