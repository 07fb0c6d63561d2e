"""GluonTS: the networks of its estimators as they train, and whole pipelines from data to measures."""

from __future__ import annotations

import logging
import random
import tempfile
from pathlib import Path

import mxnet as mx
import numpy as np
from gluonts.dataset.common import ListDataset
from gluonts.evaluation import Evaluator, make_evaluation_predictions
from gluonts.model.canonical import CanonicalRNNEstimator
from gluonts.model.deep_factor import DeepFactorEstimator
from gluonts.model.deepar import DeepAREstimator
from gluonts.model.deepstate import DeepStateEstimator
from gluonts.model.deepvar import DeepVAREstimator
from gluonts.model.gp_forecaster import GaussianProcessEstimator
from gluonts.model.gpvar import GPVAREstimator
from gluonts.model.lstnet import LSTNetEstimator
from gluonts.model.n_beats import NBEATSEstimator
from gluonts.model.predictor import Predictor
from gluonts.model.seq2seq import MQCNNEstimator, MQRNNEstimator
from gluonts.model.simple_feedforward import SimpleFeedForwardEstimator
from gluonts.model.tft import TemporalFusionTransformerEstimator
from gluonts.model.transformer import TransformerEstimator
from gluonts.model.wavenet import WaveNetEstimator
from gluonts.mx.distribution import (
    GammaOutput,
    GaussianOutput,
    LaplaceOutput,
    MixtureDistributionOutput,
    NegativeBinomialOutput,
    PiecewiseLinearOutput,
    PoissonOutput,
    StudentTOutput,
)
from gluonts.mx.trainer import Trainer
from gluonts.mx.util import get_hybrid_forward_input_names

from tests.libraries.harness import Sample, check, model

logging.getLogger("gluonts").setLevel(logging.WARNING)
STEPS, CONTEXT, COUNT = 12, 24, 4
SIZES = {"freq": "1H", "prediction_length": STEPS, "context_length": CONTEXT}


def series(length=120, kind=float):
    """Daily waves of several heights."""
    hours, rng = np.arange(length), np.random.RandomState(0)
    return [
        {
            "start": "2020-01-01 00:00",
            "target": kind(10 + i + 3 * np.sin(2 * np.pi * hours / 24) + 0.1 * rng.normal(size=length)),
            "feat_static_cat": [i],
        }
        for i in range(COUNT)
    ]


def data(many=False):
    if not many:
        return ListDataset(series(kind=lambda x: x.astype("float32")), freq="1H")
    rows = np.stack([row["target"] for row in series(300, kind=np.asarray)])
    return ListDataset([{"start": "2020-01-01", "target": rows}], freq="1H", one_dim_target=False)


def trainer(epochs=1, **options):
    options = {"num_batches_per_epoch": 4, "hybridize": True, **options}
    return Trainer(epochs=epochs, **options)


def deep_ar(**options):
    return DeepAREstimator(**{**SIZES, "num_cells": 8, "num_layers": 2, "dropout_rate": 0.0, **options})


def network(estimator, many=False, **options):
    """An estimator's network for training, with the first batch of its data."""
    random.seed(0)
    np.random.seed(0)
    loader = estimator.create_training_data_loader(estimator.create_transformation().apply(data(many)))
    batch = next(iter(loader))
    net = estimator.create_training_network()
    net.initialize(mx.init.Xavier())
    names = get_hybrid_forward_input_names(type(net))
    inputs = [batch[name] for name in names]
    return Sample(net, inputs, loss=lambda y: y[0] if isinstance(y, (list, tuple)) else y, **options)


@model("simple feed-forward")
def feed_forward() -> Sample:
    return network(SimpleFeedForwardEstimator(**SIZES, num_hidden_dimensions=[16], trainer=trainer()))


@model("DeepAR")
def deepar() -> Sample:
    return network(deep_ar(use_feat_static_cat=True, cardinality=[COUNT], trainer=trainer()))


DISTRIBUTIONS = {
    "negative binomial": NegativeBinomialOutput,
    "Laplace": LaplaceOutput,
    "gamma": GammaOutput,
    "Poisson": PoissonOutput,
    "piecewise linear": lambda: PiecewiseLinearOutput(num_pieces=4),
    "a mixture": lambda: MixtureDistributionOutput([GaussianOutput(), StudentTOutput()]),
    "Gaussian": GaussianOutput,
}
for _name, _output in DISTRIBUTIONS.items():

    @model(f"DeepAR, {_name}")
    def deepar_of(output=_output) -> Sample:
        return network(deep_ar(num_layers=1, distr_output=output(), scaling=False, trainer=trainer()))


@model("Transformer")
def transformer() -> Sample:
    sizes = {"model_dim": 8, "num_heads": 2, "inner_ff_dim_scale": 2, "dropout_rate": 0.0}
    return network(TransformerEstimator(**SIZES, **sizes, trainer=trainer()))


@model("MQCNN")
def mqcnn() -> Sample:
    return network(
        MQCNNEstimator(**SIZES, channels_seq=[8, 8, 8], quantiles=[0.1, 0.5, 0.9], trainer=trainer())
    )


@model("MQRNN")
def mqrnn() -> Sample:
    return network(MQRNNEstimator(**SIZES, trainer=trainer()))


@model("WaveNet")
def wavenet() -> Sample:
    return network(wave_net())


def wave_net():
    sizes = {"n_residue": 6, "n_skip": 8, "dilation_depth": 3, "n_stacks": 1}
    return WaveNetEstimator(
        freq="1H", prediction_length=STEPS, **sizes, num_bins=32, num_parallel_samples=10, trainer=trainer()
    )


@model("N-BEATS")
def n_beats() -> Sample:
    return network(NBEATSEstimator(**SIZES, num_stacks=2, widths=[16], trainer=trainer()))


@model("DeepState")
def deep_state() -> Sample:
    estimator = DeepStateEstimator(
        freq="1H",
        prediction_length=3,
        past_length=4,
        num_layers=1,
        num_cells=8,
        dropout_rate=0.0,
        use_feat_static_cat=True,
        cardinality=[COUNT],
        trainer=trainer(),
    )
    return network(estimator)


@model("DeepFactor")
def deep_factor() -> Sample:
    sizes = {"num_hidden_global": 8, "num_factors": 3, "num_hidden_local": 3}
    return network(DeepFactorEstimator(**SIZES, **sizes, cardinality=[COUNT], trainer=trainer()))


@model("temporal fusion transformer")
def fusion() -> Sample:
    sizes = {"hidden_dim": 8, "num_heads": 2, "dropout_rate": 0.0}
    return network(TemporalFusionTransformerEstimator(**SIZES, **sizes, trainer=trainer()))


@model("Gaussian process")
def gaussian_process() -> Sample:
    return network(GaussianProcessEstimator(**SIZES, cardinality=COUNT, trainer=trainer()))


@model("canonical RNN")
def canonical() -> Sample:
    return network(CanonicalRNNEstimator(**SIZES, num_cells=8, cardinality=[COUNT], trainer=trainer()))


@model("LSTNet")
def lstnet() -> Sample:
    sizes = {"skip_size": 4, "ar_window": 4, "channels": 8, "kernel_size": 3, "num_series": COUNT}
    return network(LSTNetEstimator(**SIZES, **sizes, dropout_rate=0.0, trainer=trainer()), many=True)


@model("DeepVAR")
def deep_var() -> Sample:
    sizes = {"target_dim": COUNT, "num_cells": 8, "num_layers": 1, "dropout_rate": 0.0, "rank": 2}
    return network(DeepVAREstimator(**SIZES, **sizes, trainer=trainer()), many=True)


@model("GPVAR")
def gp_var() -> Sample:
    sizes = {"target_dim": COUNT, "num_cells": 8, "num_layers": 1, "dropout_rate": 0.0, "rank": 2}
    return network(GPVAREstimator(**SIZES, **sizes, target_dim_sample=2, trainer=trainer()), many=True)


PIPELINES = {
    "simple feed-forward": lambda: SimpleFeedForwardEstimator(
        **SIZES, num_hidden_dimensions=[32], trainer=trainer(15, num_batches_per_epoch=20, learning_rate=5e-3)
    ),
    "DeepAR": lambda: deep_ar(trainer=trainer(4, num_batches_per_epoch=15, learning_rate=1e-2)),
    "Transformer": lambda: TransformerEstimator(
        **SIZES, model_dim=8, num_heads=2, inner_ff_dim_scale=2, trainer=trainer(1)
    ),
    "MQCNN": lambda: MQCNNEstimator(
        **SIZES, channels_seq=[8, 8, 8], quantiles=[0.1, 0.5, 0.9], trainer=trainer()
    ),
    "MQRNN": lambda: MQRNNEstimator(**SIZES, trainer=trainer()),
    "WaveNet": wave_net,
    "N-BEATS": lambda: NBEATSEstimator(**SIZES, num_stacks=2, widths=[16], trainer=trainer()),
    "temporal fusion transformer": lambda: TemporalFusionTransformerEstimator(
        **SIZES, hidden_dim=8, num_heads=2, trainer=trainer()
    ),
}
LARGEST = {"simple feed-forward": 0.1, "DeepAR": 0.2}
"""Of the weighted quantile loss, after training for some seconds; the other ones are only to run."""


def pipeline(name):
    """Train, forecast and evaluate; a predictor that is written and read forecasts as before."""
    for seed in (random.seed, np.random.seed, mx.random.seed):
        seed(0)
    dataset = data()
    predictor = PIPELINES[name]().train(dataset)
    forecasts, truth = make_evaluation_predictions(dataset, predictor=predictor, num_samples=50)
    forecasts = list(forecasts)
    assert len(forecasts) == COUNT
    assert forecasts[0].mean.shape == (STEPS,)
    evaluator = Evaluator(quantiles=[0.1, 0.5, 0.9], num_workers=0)
    measures, items = evaluator(truth, iter(forecasts), num_series=COUNT)
    assert len(items) == COUNT
    loss = measures["mean_wQuantileLoss"]
    assert loss < LARGEST.get(name, np.inf), measures
    with tempfile.TemporaryDirectory() as folder:
        predictor.serialize(Path(folder))
        again = Predictor.deserialize(Path(folder))
    results = []
    for each in (predictor, again):
        for seed in (random.seed, np.random.seed, mx.random.seed):
            seed(0)
        results.append(np.stack([forecast.quantile(0.5) for forecast in each.predict(dataset)]))
    np.testing.assert_allclose(results[0], results[1], rtol=1e-4, atol=1e-4)


for _name in PIPELINES:

    @check(f"{_name}: train, forecast, evaluate, write and read")
    def pipeline_of(name=_name) -> None:
        pipeline(name)
