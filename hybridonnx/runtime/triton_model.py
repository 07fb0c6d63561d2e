"""The model.py of Triton's python backend: it runs the model.onnx beside it by ONNX Runtime.

It is copied into model repositories, and there needs numpy and onnxruntime alone, in Python 3.8 or later.
Requests that Triton hands over together run as one batch.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np


class TritonPythonModel:
    """What Triton calls."""

    def initialize(self, args: Mapping[str, str]) -> None:
        """Open the model.

        Args:
            args: What Triton says of it.
        """
        import onnxruntime
        import triton_python_backend_utils  # type: ignore[import-not-found]  # of Triton

        self._triton = triton_python_backend_utils
        config = json.loads(args["model_config"])
        told = {key: item["string_value"] for key, item in config.get("parameters", {}).items()}
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(told.get("intra_op_thread_count", "0"))
        providers: list[Any] = ["CPUExecutionProvider"]
        if args["model_instance_kind"] == "GPU":
            device = {"device_id": int(args["model_instance_device_id"])}
            providers.insert(0, ("CUDAExecutionProvider", device))
        path = os.path.join(args["model_repository"], args["model_version"], "model.onnx")
        self._session = onnxruntime.InferenceSession(path, options, providers=providers)
        self._in_batches = config["max_batch_size"] > 0
        self._inputs = [item["name"] for item in config["input"]]
        self._outputs = [item["name"] for item in config["output"]]

    def execute(self, requests: Sequence[Any]) -> list[Any]:
        """Answer requests.

        Args:
            requests: Some at once.

        Returns:
            A response for each.
        """
        feeds: dict[int, dict[str, Any]] = {}
        responses: list[Any] = [None] * len(requests)
        for i, request in enumerate(requests):
            try:
                feeds[i] = {name: self._array(request, name) for name in self._inputs}
            except Exception as exc:  # noqa: BLE001  # one request's fault must not be that of others
                responses[i] = self._refusal(exc)
        for places in self._batches(feeds):
            self._answer(places, feeds, responses)
        return responses

    def _array(self, request: Any, name: str) -> Any:
        array = self._triton.get_input_tensor_by_name(request, name).as_numpy()
        if array.dtype != object:
            return array
        texts = [text.decode("utf-8") for text in array.reshape(-1)]
        return np.array(texts, dtype=object).reshape(array.shape)

    def _batches(self, feeds: Mapping[int, Mapping[str, Any]]) -> Iterable[list[int]]:
        """The places of requests that run together: those whose rows have the same shapes."""
        groups: dict[Any, list[int]] = {}
        for i, feed in feeds.items():
            shapes = tuple(array.shape[1:] for array in feed.values()) if self._in_batches else i
            groups.setdefault(shapes, []).append(i)
        return groups.values()

    def _answer(self, places: Sequence[int], feeds: Mapping[int, Any], responses: list[Any]) -> None:
        """Run a batch; where that fails, each of its requests by itself, as one may be at fault."""
        try:
            parts = self._run([feeds[i] for i in places])
        except Exception as exc:  # noqa: BLE001  # whatever it is, Triton tells the client
            if len(places) == 1:
                responses[places[0]] = self._refusal(exc)
                return
            for i in places:
                self._answer([i], feeds, responses)
            return
        for i, results in zip(places, parts):  # noqa: B905  # not in Python 3.8
            responses[i] = self._response(results)

    def _run(self, feeds: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
        """The outputs for each of some feeds, which run together."""
        if len(feeds) == 1:
            return [self._session.run(self._outputs, feeds[0])]
        joined = {name: np.concatenate([feed[name] for feed in feeds]) for name in self._inputs}
        results = self._session.run(self._outputs, joined)
        ends = np.cumsum([len(feed[self._inputs[0]]) for feed in feeds])[:-1]
        return [list(parts) for parts in zip(*[np.split(result, ends) for result in results])]  # noqa: B905

    def _response(self, results: Sequence[Any]) -> Any:
        tensors = []
        for name, result in zip(self._outputs, results):  # noqa: B905
            if result.dtype == object:
                texts = [text.encode("utf-8") for text in result.reshape(-1)]
                result = np.array(texts, dtype=object).reshape(result.shape)
            tensors.append(self._triton.Tensor(name, result))
        return self._triton.InferenceResponse(output_tensors=tensors)

    def _refusal(self, exc: Exception) -> Any:
        error = self._triton.TritonError(str(exc))
        return self._triton.InferenceResponse(output_tensors=[], error=error)
