"""Writes operators.json: facts about every operator that Apache MXNet 1.9.1 registers.

Run it with the oracle environment's Python (mxnet 1.9.1, numpy 1.23.5) and MXNET_SUBGRAPH_BACKEND=NONE:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/operators.py

Each line of "operators" is one canonical operator:

    aliases           the other names that share its handle
    inputs            [name, type]; "NDArray-or-Symbol[]" is variadic
    key_var_num_args  the attribute that counts variadic inputs, or ""
    attributes        [name, type, "required" | "optional" | "", default text or null], in declared order
    composed          one entry per set of attributes tried, with only automatically created variables:
                      arguments, auxiliary and outputs (without "op_"), total_outputs (hidden ones too),
                      attrs_json (attributes as symbol.json shows them, where they differ from those given).
                      "creates_inputs": false where MXNet makes no variables, so one per input was given.
                      "refused": true where MXNet wouldn't compose it.
"""

import ctypes
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx
from mxnet.base import _LIB, c_handle_array, c_str, c_str_array, check_call

HERE = Path(__file__).resolve().parent

# Values for attributes that are required, by attribute name, where an operator has no sample of its own.
BY_NAME = {
    "N": "3",
    "a_max": "1",
    "a_min": "0",
    "act_type": "relu",
    "alpha": "(0.1,)",
    "axes": "0",
    "axis": "0",
    "begin": "0",
    "block_size": "2",
    "bot": "1",
    "brightness": "0.1",
    "contrast": "0.1",
    "depth": "3",
    "destination": "(0,)",
    "dimensions": "(2, 3)",
    "dtype": "float32",
    "end": "1",
    "eps": "1e-08",
    "eta": "0.1",
    "etas": "(0.1, 0.1)",
    "filename": "a.png",
    "fill_value": "1.0",
    "group_size": "3",
    "h": "2",
    "heads": "2",
    "height": "2",
    "high": "1",
    "hue": "0.1",
    "indices": "(1,)",
    "input_dim": "10",
    "is_logit": "False",
    "kernel": "(3, 3)",
    "key": "k",
    "learning_rates": "(0.1, 0.1)",
    "left": "1",
    "loc": "None",
    "logit": "None",
    "low": "0",
    "lr": "0.1",
    "lrs": "(0.1,)",
    "max_factor": "1.5",
    "min_factor": "0.5",
    "mode": "constant",
    "n": "2",
    "newshape": "(-1,)",
    "nsize": "5",
    "num": "5",
    "num_args": "2",
    "num_arrays": "2",
    "num_filter": "4",
    "num_hidden": "4",
    "num_outputs": "2",
    "num_weights": "1",
    "out_dim": "4",
    "output_dim": "4",
    "output_size": "(1, 1)",
    "pad_width": "(0, 0, 0, 0, 1, 1, 1, 1)",
    "pooled_size": "2",
    "prob": "0.5",
    "range_max": "10",
    "repeats": "2",
    "reps": "(2, 2)",
    "right": "1",
    "sample_type": "nearest",
    "sampler_type": "bilinear",
    "saturation": "0.1",
    "scale": "2",
    "shape": "(2, 3)",
    "source": "(1,)",
    "spatial_scale": "0.5",
    "start": "0",
    "step_count": "(1, 1)",
    "stop": "1",
    "stype": "default",
    "t": "1",
    "threshold": "0.5",
    "top": "1",
    "transform_type": "affine",
    "value": "1.0",
    "w": "2",
    "wd": "0.0",
    "wds": "(0.0,)",
    "width": "2",
    "x": "0",
    "y": "0",
}

# Sets of attributes for operators whose inputs or outputs depend on them.
SAMPLES = {
    "Activation": [{"act_type": "relu"}],
    "BatchNorm": [{}, {"output_mean_var": "True"}, {"fix_gamma": "False", "use_global_stats": "True"}],
    "Concat": [{"num_args": "2", "dim": "1"}, {"num_args": "3"}],
    "Convolution": [
        {"kernel": "(3, 3)", "num_filter": "4"},
        {"kernel": "(3,)", "num_filter": "4", "no_bias": "True"},
    ],
    "Crop": [{"num_args": "1", "h_w": "(2, 2)"}, {"num_args": "2"}],
    "CTCLoss": [{}, {"use_data_lengths": "True"}, {"use_data_lengths": "True", "use_label_lengths": "True"}],
    "Deconvolution": [
        {"kernel": "(3, 3)", "num_filter": "4"},
        {"kernel": "(3, 3)", "num_filter": "4", "no_bias": "False"},
    ],
    "Dropout": [{}, {"p": "0.3", "mode": "always"}],
    "Embedding": [{"input_dim": "10", "output_dim": "4"}],
    "FullyConnected": [{"num_hidden": "4"}, {"num_hidden": "4", "no_bias": "True", "flatten": "False"}],
    "GroupNorm": [{}, {"output_mean_var": "True"}],
    "LayerNorm": [{}, {"output_mean_var": "True"}],
    "LeakyReLU": [{}, {"act_type": "prelu"}, {"act_type": "rrelu"}, {"act_type": "gelu"}],
    "Pooling": [
        {"pool_type": "avg", "global_pool": "True", "kernel": "(1, 1)"},
        {"kernel": "(2, 2)", "pool_type": "max", "stride": "(2, 2)"},
    ],
    "Proposal": [{}, {"output_score": "True"}],
    "RNN": [
        {"state_size": "4", "num_layers": "1", "mode": "lstm"},
        {"state_size": "4", "num_layers": "1", "mode": "lstm", "state_outputs": "True"},
        {
            "state_size": "4",
            "num_layers": "2",
            "mode": "gru",
            "state_outputs": "True",
            "bidirectional": "True",
        },
        {"state_size": "4", "num_layers": "1", "mode": "rnn_tanh", "state_outputs": "True"},
        {
            "state_size": "4",
            "num_layers": "1",
            "mode": "lstm",
            "state_outputs": "True",
            "use_sequence_length": "True",
        },
    ],
    "ROIPooling": [{"pooled_size": "(2, 2)", "spatial_scale": "0.5"}],
    "SequenceLast": [{}, {"use_sequence_length": "True"}],
    "SequenceMask": [{}, {"use_sequence_length": "True"}],
    "SequenceReverse": [{}, {"use_sequence_length": "True"}],
    "SliceChannel": [{"num_outputs": "3"}, {"num_outputs": "3", "axis": "0", "squeeze_axis": "True"}],
    "SpatialTransformer": [
        {"transform_type": "affine", "sampler_type": "bilinear", "target_shape": "(4, 4)"}
    ],
    "UpSampling": [
        {"scale": "2", "sample_type": "nearest", "num_args": "1"},
        {"scale": "2", "sample_type": "bilinear", "num_filter": "3", "num_args": "2"},
    ],
    "Pooling_v1": [{"kernel": "(2, 2)"}],
    "_arange": [{"start": "0", "stop": "5"}],
    "_contrib_DeformableConvolution": [
        {"kernel": "(3, 3)", "num_filter": "4"},
        {"kernel": "(3, 3)", "num_filter": "4", "no_bias": "True"},
    ],
    "_contrib_ModulatedDeformableConvolution": [
        {"kernel": "(3, 3)", "num_filter": "4"},
        {"kernel": "(3, 3)", "num_filter": "4", "no_bias": "True"},
    ],
    "_contrib_quantized_conv": [
        {"kernel": "(3, 3)", "num_filter": "4"},
        {"kernel": "(3, 3)", "num_filter": "4", "no_bias": "True"},
    ],
    "_contrib_quantized_fully_connected": [{"num_hidden": "4"}, {"num_hidden": "4", "no_bias": "True"}],
    "_contrib_ROIAlign": [{"pooled_size": "(2, 2)", "spatial_scale": "0.5"}],
    "_contrib_RROIAlign": [{"pooled_size": "(2, 2)", "spatial_scale": "0.5"}],
    "_contrib_PSROIPooling": [{"spatial_scale": "0.5", "output_dim": "4", "pooled_size": "2"}],
    "_contrib_BilinearResize2D": [{}, {"mode": "like"}],
    "_histogram": [{"bin_cnt": "10", "range": "(0.0, 1.0)"}, {}],
    "_linspace": [{"start": "0", "stop": "1", "num": "5"}],
    "_npi_linspace": [{"start": "0", "stop": "1", "num": "5"}],
    "_npi_pad": [{"pad_width": "((0, 0), (1, 1))"}],
    "_npi_gamma": [{"shape": "1.0", "scale": "2.0"}, {"shape": "None", "scale": "None"}],
    "_npi_choice": [{"a": "5", "size": "2"}, {"a": "None", "size": "2", "weighted": "True"}],
    "_npi_tensordot": [{"a_axes_summed": "(1,)", "b_axes_summed": "(0,)"}],
    "_contrib_quantized_rnn": [{"state_size": "4", "num_layers": "1", "mode": "lstm"}],
    "_contrib_quantized_pooling": [{"kernel": "(2, 2)"}],
    "_split_v2": [{"indices": "(1, 2)"}, {"indices": "(0,)", "sections": "3"}, {"indices": "(0, 2)"}],
    "amp_multicast": [{"num_outputs": "2"}, {"num_outputs": "3"}],
    "multi_all_finite": [{"num_arrays": "2"}],
    "norm": [{}, {"ord": "1", "axis": "1", "keepdims": "True"}],
    "topk": [{}, {"ret_typ": "both"}, {"ret_typ": "value", "k": "2"}],
}

# Custom and subgraph operators read pointers or subgraphs out of their attributes: not composed from text.
NEEDS_SUBGRAPH = set(
    "Custom _CachedOp _CachedOpThreadSafe _CustomFunction _Native _NDArray _cond _foreach _while_loop"
    " _sg_mkldnn_conv _sg_mkldnn_fully_connected".split()
)


def operator_names():
    size, names = ctypes.c_uint(), ctypes.POINTER(ctypes.c_char_p)()
    check_call(_LIB.MXListAllOpNames(ctypes.byref(size), ctypes.byref(names)))
    return sorted(names[i].decode() for i in range(size.value))


def handle_of(name):
    handle = ctypes.c_void_p()
    check_call(_LIB.NNGetOpHandle(c_str(name), ctypes.byref(handle)))
    return handle


def declared(handle):
    """Canonical name, [(argument, type text)] and key_var_num_args of an operator."""
    strings = ctypes.POINTER(ctypes.c_char_p)
    name, text, key, result = (ctypes.c_char_p() for _ in range(4))
    names, types, texts = strings(), strings(), strings()
    size = ctypes.c_uint()
    out = (name, text, size, names, types, texts, key, result)
    check_call(_LIB.MXSymbolGetAtomicSymbolInfo(handle, *map(ctypes.byref, out)))
    pairs = [(names[i].decode(), types[i].decode()) for i in range(size.value)]
    return name.value.decode(), pairs, (key.value or b"").decode()


def is_input(type_text):
    return type_text.startswith(("NDArray", "Symbol"))


def attribute(name, text):
    """[name, type, required or optional, default] from e.g. "int, optional, default='1'"."""
    if text.startswith("{"):
        kind, rest = text[: text.index("}") + 1], text[text.index("}") + 1 :]
    else:
        kind, _, rest = text.partition(",")
    if "default=" in rest:
        default = rest[rest.index("default=") + len("default=") :]
        if default[:1] == "'" and default[-1:] == "'":
            default = default[1:-1]
        return [name, kind, "optional", default]
    need = next((word for word in ("required", "optional") if word in rest), "")
    return [name, kind, need, None]


def compose(handle, attrs, inputs):
    """Facts of an operator composed with created variables, or with one variable per declared input."""
    try:
        return composed(handle, attrs, [])
    except mx.MXNetError as error:
        if "Not enough argument" not in str(error) or any(kind.endswith("[]") for _, kind in inputs):
            raise
    return {**composed(handle, attrs, [f"op_{name}" for name, _ in inputs]), "creates_inputs": False}


def composed(handle, attrs, inputs):
    symbol = ctypes.c_void_p()
    keys, values = c_str_array(list(attrs)), c_str_array(list(attrs.values()))
    check_call(_LIB.MXSymbolCreateAtomicSymbol(handle, len(attrs), keys, values, ctypes.byref(symbol)))
    composite = mx.sym.Symbol(symbol)
    variables = [mx.sym.Variable(name) for name in inputs]
    handles = c_handle_array(variables) if inputs else None
    check_call(_LIB.MXSymbolCompose(composite.handle, c_str("op"), len(inputs), None, handles))
    graph = json.loads(composite.tojson())
    rows, (node, *_) = graph["node_row_ptr"], graph["heads"][0]
    facts = {
        "attrs": attrs,
        "arguments": [bare(name) for name in composite.list_arguments()],
        "auxiliary": [bare(name) for name in composite.list_auxiliary_states()],
        "outputs": [bare(name) for name in composite.list_outputs()],
        "total_outputs": rows[node + 1] - rows[node],
    }
    shown = graph["nodes"][node].get("attrs", {})
    if shown != attrs:
        facts["attrs_json"] = shown
    return facts


def bare(name):
    return name[3:] if name.startswith("op_") else name


def guarded(work):
    """The result of work() in a child process, or None where it failed or crashed."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        with open(os.devnull, "w") as null:
            os.dup2(null.fileno(), 2)
        try:
            answer = work()
        except mx.MXNetError:
            answer = None
        with os.fdopen(write, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else None


def samples(name, attributes, key):
    if name in SAMPLES:
        return SAMPLES[name]
    attrs = {a[0]: BY_NAME[a[0]] for a in attributes if a[2] == "required" and a[0] in BY_NAME}
    if key and key not in attrs:
        attrs[key] = BY_NAME.get(key, "2")
    return [attrs]


def facts(names):
    handles = {name: handle_of(name) for name in names}
    info = {name: declared(handle) for name, handle in handles.items()}
    operators = {}
    for name in names:
        canonical, pairs, key = info[name]
        if canonical.startswith("_backward_"):
            continue
        if canonical in operators:
            continue
        attributes = [attribute(*pair) for pair in pairs if not is_input(pair[1])]
        inputs = [list(pair) for pair in pairs if is_input(pair[1])]
        compositions = []
        for attrs in [] if canonical in NEEDS_SUBGRAPH else samples(canonical, attributes, key):
            answer = guarded(lambda: compose(handles[name], attrs, inputs))  # noqa: B023
            compositions.append(answer or {"attrs": attrs, "refused": True})
        operators[canonical] = {
            "aliases": [n for n in names if info[n][0] == canonical and n != canonical],
            "inputs": inputs,
            "key_var_num_args": key,
            "attributes": attributes,
            "composed": compositions,
        }
    return operators


def main():
    operators = facts([name for name in operator_names() if not name.startswith("_backward_")])
    lines = ",\n".join(
        f"{json.dumps(n)}: {json.dumps(operators[n], sort_keys=True)}" for n in sorted(operators)
    )
    text = f'{{"mxnet_version": "{mx.__version__}", "operators": {{\n{lines}\n}}}}\n'
    (HERE / "operators.json").write_text(text)
    refused = [n for n, o in operators.items() if any("refused" in c for c in o["composed"])]
    print(f"{len(operators)} operators; refused: {' '.join(refused)}", file=sys.stderr)


if __name__ == "__main__":
    main()
