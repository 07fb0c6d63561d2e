"""The command line: which commands there are, how they answer, and their exit codes."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import click
import pytest

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.cli import _command, _modules, _root, main
from hybridonnx.errors import MXNetError

ROOT = Path(__file__).parents[1]
ALONE = {"im2rec", "launch", "path", "rec2idx", "run"}
"""The commands that need no other package."""
BLOCKED = "import sys; sys.modules.update(dict.fromkeys(('click', 'rich')))\n"
"""Python in which neither is installed."""


def python(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.fixture
def model(tmp_path):
    """A convolution in MXNet's files and in ONNX's."""
    graph = sym.Convolution(sym.var("data"), kernel=(3, 3), num_filter=4, no_bias=True, name="conv")
    weight = nd.ones((4, 3, 3, 3))
    graph.save(str(tmp_path / "net-symbol.json"))
    nd.save(str(tmp_path / "net-0000.params"), {"arg:conv_weight": weight * 2})
    nd.save(str(tmp_path / "net-0003.params"), {"arg:conv_weight": weight})
    nd.save(str(tmp_path / "alone.params"), {"arg:conv_weight": weight})
    mx.onnx.export_model(
        graph, {"conv_weight": weight}, [("batch", 3, 8, 8)], onnx_file_path=str(tmp_path / "net.onnx")
    )
    return tmp_path


def test_every_command_says_what_it_does(capsys):
    assert main([]) == 0
    page = capsys.readouterr().out
    for name in _modules.command_names():
        assert f"  {name} " in page
        assert main([name, "--help"]) == 0
        assert _modules.summary(name).split()[0] in capsys.readouterr().out


def test_which_commands_work_alone():
    assert {name for name in _modules.command_names() if _modules.is_plain(name)} == ALONE


def test_without_the_extra():
    code = BLOCKED + "from hybridonnx.cli import main; sys.exit(main(sys.argv[1:]))"
    done = python(code, "inspect", "x.onnx")
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr == (
        "hybridonnx inspect: the package click is required, which is not installed; "
        'pip install "hybridonnx[cli]".\n'
    )
    done = python(code, "run", "model.onnx", "--input", "x.npy")
    assert (done.returncode, done.stderr[:43]) == (3, "hybridonnx run: the package click is requir")
    assert python(code).stdout.splitlines()[2].startswith("  ")
    assert python(code, "path").stdout.strip() == str(ROOT / "hybridonnx" / "alias")


def test_importing_loads_none_of_it():
    code = "import sys, hybridonnx.onnx, hybridonnx.cli; print({'click', 'rich'} & {*sys.modules})"
    assert python(code).stdout.strip() == "set()"


def test_commands_go_over_public_functions_alone():
    """No command imports a name with an underscore from another package, but for what all packages share."""
    shared = {"_json", "_version", "__version__"}
    for path in (ROOT / "hybridonnx" / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.level > 1:
                words = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                assert not [w for w in words if w.startswith("_") and w not in shared]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["inspekt"], 2, "hybridonnx: no command 'inspekt'; did you mean inspect?"),
        (
            ["inspect"],
            2,
            "Missing argument 'MODEL'. hybridonnx inspect --help tells more.",
        ),
        (
            ["inspect", "{}/none.onnx"],
            3,
            "inspect: a model's file is required, got nothing at {}/",
        ),
        (["inspect", "{}"], 3, "hybridonnx inspect: a model's file is required, got a folder at {}"),
        (["inspect", "{}/net.onnx", "--params", "x"], 2, "parameters are for a symbol.json"),
        (
            ["inspect", "{}/net.onnx", "--size", "batch"],
            2,
            "a name and a number from 1 on, as in batch=8, are",
        ),
        (
            ["inspect", "{}/net.onnx", "--size", "n=2"],
            2,
            "--size of the free sizes batch is required, got n.",
        ),
        (
            ["inspect", "{}/net.onnx", "--shape", "data=1,-2"],
            2,
            "a number from 1 on, a name, or ? is required for",
        ),
        (
            ["inspect", "{}/net.onnx", "--shape", "x=1"],
            2,
            "--shape of the inputs data is required, got x.",
        ),
        (["inspect", "{}/alone.params"], 3, "a graph is required, got parameters alone: {}/alone.params"),
    ],
)
def test_errors_are_one_sentence(model, capsys, words, code, message):
    assert main([word.format(model) for word in words]) == code
    printed = capsys.readouterr()
    assert message.format(model) in printed.err
    assert printed.err.startswith("hybridonnx")
    assert len(printed.err.splitlines()) == 1
    assert printed.out == ""


def called(function, *words):
    """The exit code of a command that is made of a function of this module."""
    made = _command.command(function)
    result = made.main([*words], standalone_mode=False)
    return int(result)


def test_answers(capsys):
    def fine():
        _command.step("thinking")
        return _command.Answer("yes.", {"a": 1})

    def no():
        return _command.Answer("no.", '{"a": 2}', yes=False)

    assert called(fine) == 0
    assert capsys.readouterr().out == "yes.\n"
    assert called(fine, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"a": 1}
    assert called(no, "--json") == 1
    assert json.loads(capsys.readouterr().out) == {"a": 2}


@pytest.mark.parametrize("error", [MXNetError("a net is required."), OSError(2, "nothing"), KeyError("k")])
def test_failures(capsys, error):
    def fails():
        raise error

    assert called(fails) == 3
    sentence = capsys.readouterr().err
    assert sentence.startswith("hybridonnx fails: ")
    assert ("fault of hybridonnx" in sentence) == isinstance(error, KeyError)
    assert called(fails, "--debug", "--json") == 3
    printed = capsys.readouterr()
    assert "Traceback" in printed.err
    assert json.loads(printed.out)["error"] in printed.err


@pytest.mark.filterwarnings("default")
def test_warnings_are_sentences(capsys):
    def warns():
        warnings.warn("this is odd.", UserWarning, stacklevel=1)
        return _command.Answer("", None)

    assert called(warns) == 0
    assert capsys.readouterr().err == "hybridonnx warns: warning: this is odd.\n"


def test_a_closed_pipe_is_no_error(model):
    code = "from hybridonnx.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    shell = f'"{sys.executable}" -c "{code}" inspect {model}/net.onnx --json | true; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", shell], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode in (0, 141)


SLOW = """
import time
from hybridonnx.cli import _command
_command._PATIENCE = 0.01
def slow():
    _command.step("thinking")
    time.sleep(1)
    return _command.Answer("title: 1 PROBLEM", 1)
_command.command(slow).main([], standalone_mode=False)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_terminals_get_progress_and_colours():
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-c", SLOW]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=theirs, stderr=theirs, check=False)
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert done.returncode == 0
    assert "thinking" in shown.decode()
    assert "\x1b[1mtitle:\x1b[0m 1 \x1b[31mPROBLEM\x1b[0m" in shown.decode()


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # its other end is closed
        return b""


def test_completion():
    shell = {"_HYBRIDONNX_COMPLETE": "bash_complete", "COMP_WORDS": "hybridonnx ins", "COMP_CWORD": "1"}
    code = f"import os; os.environ.update({shell}); from hybridonnx.cli import main; main()"
    assert python(code).stdout == "plain,inspect\n"
    shell |= {"COMP_WORDS": "hybridonnx inspect --par", "COMP_CWORD": "2"}
    code = f"import os; os.environ.update({shell}); from hybridonnx.cli import main; main()"
    assert python(code).stdout.splitlines() == ["plain,--params", "plain,--parameters"]


def test_click_knows_plain_commands_as_well():
    root = _root.root()
    context = click.Context(root)
    for name in _modules.command_names():
        made = root.get_command(context, name)
        assert made is not None
        assert made.get_short_help_str(200).rstrip(".") == _modules.summary(name).rstrip(".")


def test_inspect_as_text_and_as_json(model, capsys):
    assert main(["inspect", str(model / "net.onnx")]) == 0
    text = capsys.readouterr().out
    assert "inputs: data (batch, 3, 8, 8) float32\n" in text
    assert "\x1b" not in text
    assert main(["inspect", str(model / "net"), "--shape", "n,3,8,8", "--size", "n=2", "--json"]) == 0
    printed = capsys.readouterr()
    content = json.loads(printed.out)
    assert content["inputs"] == [{"name": "data", "dtype": "float32", "shape": ["n", 3, 8, 8], "bytes": 0}]
    assert content["multiply_adds"] == {"Conv": 2 * 4 * 6 * 6 * 27}
    assert content["operators"] == {"Convolution": 1}
    assert printed.err == f"parameters: {model}/net-0003.params\n"
