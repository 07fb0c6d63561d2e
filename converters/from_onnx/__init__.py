"""From ONNX models to MXNet graphs: one family of operators a file, and the walk over the model."""

from ._import import get_model_metadata as get_model_metadata
from ._import import import_model as import_model
from ._import import load as load
from ._model_info import ModelInfo as ModelInfo
from ._places import short as short
from ._reader import Model as Model
from ._reader import Source as Source
from ._reader import in_words as in_words
from ._reader import read as read
from ._registry import supported as supported
from ._registry import versions as versions
from ._walk import Imported as Imported
