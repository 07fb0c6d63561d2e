"""What Triton's own client gets, run by the interpreter that has it: what test_triton.py starts.

python tests/triton_client.py infer ADDRESS MODEL IN.npz OUT.npz
python tests/triton_client.py configs CONFIG…

Each array of IN.npz is a request, but for `together` (all at once), `classes` and `packed`; the model's
metadata is printed as JSON.
"""

import json
import sys
from importlib import import_module

import numpy as np


def infer(address, model, source, target):
    http = import_module("tritonclient.http")

    with np.load(source) as file:
        requests = dict(file)
    together, classes = requests.pop("together", None), int(requests.pop("classes", 0))
    packed = str(requests.pop("packed", "")) or None
    client = http.InferenceServerClient(address, concurrency=max(len(requests), 1))
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready(model)
    told = client.get_model_metadata(model)
    (item,), (output,) = told["inputs"], told["outputs"]
    begun, results, answers = {}, {}, {}
    for name, array in requests.items():
        given = http.InferInput(item["name"], list(array.shape), item["datatype"])
        given.set_data_from_numpy(array)
        wanted = http.InferRequestedOutput(output["name"], class_count=classes)
        begun[name] = client.async_infer(
            model, [given], outputs=[wanted], request_compression_algorithm=packed
        )
        if together is None:
            results[name] = begun[name].get_result()
    for name, asked in begun.items():
        array = (results.get(name) or asked.get_result()).as_numpy(output["name"])
        answers[name] = array.astype("S") if classes else array  # texts as bytes, which .npz files have
    np.savez(target, **answers)
    print(json.dumps(told))


def configs(*paths):
    json_format, text_format = map(
        import_module, ("google.protobuf.json_format", "google.protobuf.text_format")
    )
    model_config_pb2 = import_module("tritonclient.grpc.model_config_pb2")

    found = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            config = text_format.Parse(file.read(), model_config_pb2.ModelConfig())
        found.append(json_format.MessageToDict(config, preserving_proto_field_name=True))
    print(json.dumps(found))


if __name__ == "__main__":
    {"infer": infer, "configs": configs}[sys.argv[1]](*sys.argv[2:])
