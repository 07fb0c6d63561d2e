"""Writes onnxruntime_profile.json: what ONNX Runtime 1.32 measures of two runs, without most details."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnxruntime as ort
from onnx import ModelProto, parser

MODEL = """
<ir_version: 8, opset_import: ["" : 18]>
g (float[N, 3] x, bool flag, int64 n) => (float[N, 3] y)
{
    w = Constant<value = float[1] {2.0}> ()
    a = Mul(x, w)
    b = Relu(a)
    c = Sin(b)
    d = If (flag) <
        then_branch = one () => (float[N, 3] t) { t0 = Relu(c) t = Add(t0, w) },
        else_branch = two () => (float[N, 3] e) { e = Neg(c) }
    >
    y = Loop (n, flag, d) <
        body = body (int64 i, bool c1, float[N, 3] v) => (bool c2, float[N, 3] v2) {
            c2 = Identity(c1)
            v2 = Sin(v)
        }
    >
}
"""
NAMES = {"a": "net/scale/Mul", "b": "net/relu/Relu", "y": "net/loop_fwd"}
"""The names of the nodes with these outputs; the others have none."""
KEPT = ("op_name", "node_index", "provider", "output_type_shape")


def model() -> ModelProto:
    """A model with named nodes, nodes without names, and bodies of both."""
    proto: ModelProto = parser.parse_model(MODEL)
    for node in proto.graph.node:
        node.name = NAMES.get(node.output[0], "")
    body = proto.graph.node[-1].attribute[0].g
    body.node[1].name = "net/loop_fwd/Sin"
    return proto


def main() -> None:
    """Run it twice, with three steps of the loop."""
    settings = ort.SessionOptions()
    settings.enable_profiling = True
    settings.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    with TemporaryDirectory() as folder:
        settings.profile_file_prefix = str(Path(folder, "profile"))
        session = ort.InferenceSession(model().SerializeToString(), settings)
        feeds = {"x": np.ones((300, 3), np.float32), "flag": np.array(True), "n": np.array(3)}
        for _ in range(2):
            session.run(None, feeds)
        events = json.loads(Path(session.end_profiling()).read_bytes())
    for event in events:
        event["pid"] = event["tid"] = 1
        event["args"] = {key: value for key, value in event["args"].items() if key in KEPT}
    text = ",\n".join(json.dumps(event) for event in events)
    Path(__file__).with_suffix(".json").write_text(f"[\n{text}\n]\n")


if __name__ == "__main__":
    main()
