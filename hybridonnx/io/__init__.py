"""Batches of data: descriptions, batches, and iterators over arrays, files and other iterators."""

from .files import CSVIter, LibSVMIter, MNISTIter, MXDataIter
from .io import DataBatch, DataDesc, DataIter, NDArrayIter, described
from .wrappers import PrefetchingIter, ResizeIter

__all__ = [
    "CSVIter",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "LibSVMIter",
    "MNISTIter",
    "MXDataIter",
    "NDArrayIter",
    "PrefetchingIter",
    "ResizeIter",
    "described",
]
