"""From MXNet graphs to ONNX models: one family of operators a file, and the walk over the graph."""

from hybridonnx._lazy import lazy_package as _lazy_package

__getattr__, __dir__ = _lazy_package(
    __name__,
    single={
        "FileOptions": "._export",
        "Graph": "._graph",
        "Local": "._graph",
        "Lowered": "._model",
        "NeedsShape": "._graph",
        "NodeSupport": "._survey",
        "NoiseInput": "._walk",
        "Precision": "._precision",
        "Support": "._survey",
        "Value": "._graph",
        "arrays_by_name": "._export",
        "by_name": "._arguments",
        "check": "._check",
        "data_names": "._export",
        "dtypes_by_input": "._arguments",
        "export_model": "._export",
        "in_order": "._arguments",
        "is_shape": "._arguments",
        "lower": "._model",
        "lower_operator": "._operator_model",
        "lowers_custom": "._registry",
        "model_bytes": "._export",
        "refusal": "._walk",
        "save": "._file",
        "shapes_by_input": "._arguments",
        "support": "._export",
        "supported": "._registry",
    },
)
