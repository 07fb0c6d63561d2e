# Written by scripts/stubs; do not edit.
from . import mx2onnx
from .benchmark import Benchmark, Timing, bench
from .checkpoint import import_to_checkpoint
from .inspection import Declaration, Inspection, inspect
from .manifest import Digest, Manifest, ManifestCheck, check_manifest, digest_of_file
from .model_diff import ModelDiff, NodeDiff, WeightDiff, diff
from .model_profile import NodeTime, Profile, TimeShare, profile
from .models import (
    Change, Difference, Graph, Isolation, IsolationError, Layer, NodeFacts, NodeSupport, ParameterDifference,
    Parity, ParityError, ProofOptions, Score, SizeTrial, Support, Value, Verdict, assert_parity, check,
    export_model, get_model_metadata, get_operator_support, import_model, import_to_gluon, register_lowering,
    verify,
)
from .pipeline import export_pipeline, export_transform
from .prediction import run
__all__ = [
    "Benchmark", "Change", "Declaration", "Difference", "Digest", "Graph", "Inspection", "Isolation",
    "IsolationError", "Layer", "Manifest", "ManifestCheck", "ModelDiff", "NodeDiff", "NodeFacts",
    "NodeSupport", "NodeTime", "ParameterDifference", "Parity", "ParityError", "Profile", "ProofOptions",
    "Score", "SizeTrial", "Support", "TimeShare", "Timing", "Value", "Verdict", "WeightDiff", "assert_parity",
    "bench", "check", "check_manifest", "diff", "digest_of_file", "export_model", "export_pipeline",
    "export_transform", "get_model_metadata", "get_operator_support", "import_model", "import_to_checkpoint",
    "import_to_gluon", "inspect", "mx2onnx", "profile", "register_lowering", "run", "verify",
]
