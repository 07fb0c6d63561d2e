# Written by scripts/stubs; do not edit.
from . import adam, adaptive, contrib, layerwise, optimizer, sgd, updater
from .adam import Adam, Adamax, Nadam
from .adaptive import AdaDelta, AdaGrad, FTML, Ftrl, RMSProp
from .layerwise import LAMB, LARS, LBSGD
from .optimizer import Optimizer, create, register
from .sgd import DCASGD, NAG, SGD, SGLD, Signum, Test, ccSGD
from .updater import Updater, get_updater
__all__ = [
    "AdaDelta", "AdaGrad", "Adam", "Adamax", "DCASGD", "FTML", "Ftrl", "LAMB", "LARS", "LBSGD", "NAG",
    "Nadam", "Optimizer", "RMSProp", "SGD", "SGLD", "Signum", "Test", "Updater", "adam", "adaptive", "ccSGD",
    "contrib", "create", "get_updater", "layerwise", "optimizer", "register", "sgd", "updater",
]
