# Sourced by the other scripts, which run in the project's folder from here on. Needs bash and Python only.
#   use_venv EXTRA     sets up .venv with the package and an extra ("", samples, test, docs or dev); sets $PYTHON
#   use_oracle         sets up .oracle with Apache MXNet 1.9.1; sets $HYBRIDONNX_ORACLE
#   use_exporter       the same with what MXNet's exporter needs
#   use_torch          sets up .torch with PyTorch 2.13; sets $TORCH_PYTHON
#   use_free_threaded  sets up .threads with a Python that has no global lock; sets $PYTHON
#   use_gpu            sets up .gpu with onnxruntime-gpu, CUDA and cuDNN; sets $PYTHON
#   use_engines NAME…  sets up .engines with the package and engines of its extras, such as ray; sets $HYBRIDONNX_ENGINES
#   use_triton         sets up .triton with NVIDIA's server and its client where they can be had; sets $HYBRIDONNX_TRITON
#   use_fuzz           sets up .fuzz with atheris, or .venv where there is none; sets $PYTHON
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
ORACLE_PACKAGES=(numpy==1.23.5 mxnet==1.9.1)
EXPORTER_PACKAGES=(onnx==1.13.1 onnxruntime==1.16.3 protobuf==3.20.3 coloredlogs flatbuffers sympy mpmath humanfriendly
  packaging typing_extensions)
TORCH_PACKAGES=(torch==2.13.0 numpy==2.4.6 onnx==1.23.2 onnxscript==0.7.2 onnxruntime==1.31.1)
TRITON_PACKAGES=(nvidia-pytriton==0.7.0 'tritonclient[http]==2.73.0' 'numpy<2' onnxruntime==1.32.0)
FUZZ_PACKAGES=atheris==3.0.0
THREADS_PACKAGES=(hypothesis "ml_dtypes>=0.5" "pytest>=8.4" "pytest-xdist>=3.6")

say() { printf '%s\n' "$*" >&2; }
fail() { say "$0: $*"; exit 1; }

# holds PYTHON CONDITION: the interpreter runs, and the condition is true there
holds() { "$1" -c "import sys; sys.exit(not ($2))" >/dev/null 2>&1; }

# find_python CONDITION NEED CANDIDATE...: the first candidate that meets the condition and can make environments
find_python() {
  local condition=$1 need=$2 candidate bare=
  shift 2
  for candidate in "$@"; do
    holds "$candidate" "$condition" || continue
    if "$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1; then command -v "$candidate"; return; fi
    bare=${bare:-$candidate}
  done
  [ -z "$bare" ] || fail "$bare has no venv or no ensurepip module; add it (Debian, Ubuntu: apt install python3-venv)."
  fail "$need is required, and none of $* is one; get it from https://www.python.org/downloads/."
}

# make_environment FOLDER CONDITION NEED CANDIDATE...: makes the folder, unless it is there and works
make_environment() {
  local folder=$1 python
  shift
  if holds "$folder/bin/python" "$1" && "$folder/bin/python" -m pip --version >/dev/null 2>&1; then return; fi
  python=$(find_python "$@") || exit
  say "making $folder with $("$python" --version)"
  "$python" -m venv --clear "$folder" || fail "$python could not make $folder."
}

# pip_install FOLDER ARGUMENT...
pip_install() {
  local folder=$1
  shift
  say "installing into $folder: $* (minutes the first time)"
  "$folder/bin/python" -m pip install -qq --disable-pip-version-check "$@" || fail "pip could not install $*."
}

# What the packages in .venv depend on: pyproject.toml, the interpreter and this folder. Nothing where there is none.
fingerprint() {
  .venv/bin/python -c 'if True:
    import hashlib, os, sys
    with open("pyproject.toml", "rb") as file:
        print(hashlib.sha256(file.read()).hexdigest(), sys.version.split()[0], os.getcwd())' 2>/dev/null
}

# is_fresh EXTRA: .venv holds what the extra asks for; dev includes docs and test, test samples, and all the package
is_fresh() {
  local wanted extra extras
  wanted=$(fingerprint) || return
  case $1 in
    docs) extras=(dev docs) ;;
    dev) extras=(dev) ;;
    test) extras=(dev test) ;;
    samples) extras=(dev test samples) ;;
    *) extras=(dev docs test samples package) ;;
  esac
  for extra in "${extras[@]}"; do
    [ "$(cat ".venv/stamp-$extra" 2>/dev/null)" != "$wanted" ] || return 0
  done
  return 1
}

set_up_venv() {
  is_fresh "${1:-package}" && return
  make_environment .venv 'sys.version_info >= (3, 11)' 'Python 3.11 or later' \
    ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11
  pip_install .venv --editable ".${1:+[$1]}"
  fingerprint >".venv/stamp-${1:-package}"
}

set_up_oracle() {
  [ "$(cat .oracle/stamp 2>/dev/null)" != "${ORACLE_PACKAGES[*]}" ] || return 0
  make_environment .oracle 'sys.version_info[:2] == (3, 11)' 'Python 3.11, the last that Apache MXNet 1.9.1 runs on,' \
    python3.11 python3 python
  pip_install .oracle "${ORACLE_PACKAGES[@]}"
  echo "${ORACLE_PACKAGES[*]}" >.oracle/stamp
}

# What MXNet's own exporter imports; --no-deps, as onnx asks for another NumPy than MXNet.
set_up_exporter() {
  set_up_oracle
  [ "$(cat .oracle/stamp-exporter 2>/dev/null)" != "${EXPORTER_PACKAGES[*]}" ] || return 0
  pip_install .oracle --no-deps "${EXPORTER_PACKAGES[@]}"
  echo "${EXPORTER_PACKAGES[*]}" >.oracle/stamp-exporter
}

set_up_torch() {
  [ "$(cat .torch/stamp 2>/dev/null)" != "${TORCH_PACKAGES[*]}" ] || return 0
  make_environment .torch 'sys.version_info[:2] == (3, 11)' 'Python 3.11' python3.11 python3 python
  pip_install .torch "${TORCH_PACKAGES[@]}"
  echo "${TORCH_PACKAGES[*]}" >.torch/stamp
}

set_up_triton() {
  [ "$(cat .triton/stamp 2>/dev/null)" != "${TRITON_PACKAGES[*]}" ] || return 0
  make_environment .triton 'sys.version_info[:2] == (3, 11)' 'Python 3.11' python3.11 python3 python
  pip_install .triton "${TRITON_PACKAGES[@]}"
  echo "${TRITON_PACKAGES[*]}" >.triton/stamp
}

set_up_fuzz() {
  [ "$(cat .fuzz/stamp 2>/dev/null)" != "$FUZZ_PACKAGES $(sha256sum pyproject.toml)" ] || return 0
  make_environment .fuzz 'sys.version_info >= (3, 11)' 'Python 3.11 or later' python3.13 python3.12 python3.11 python3
  pip_install .fuzz --only-binary atheris "$FUZZ_PACKAGES" --editable '.[test]'
  echo "$FUZZ_PACKAGES $(sha256sum pyproject.toml)" >.fuzz/stamp
}

# Packages with wheels alone: what has none for this Python is in no test of threads.
set_up_free_threaded() {
  [ "$(cat .threads/stamp 2>/dev/null)" != "${THREADS_PACKAGES[*]} $(sha256sum pyproject.toml)" ] || return 0
  make_environment .threads 'sys.version_info >= (3, 13) and not sys._is_gil_enabled()' \
    'Python 3.13 or later without a global lock' ${PYTHON:+"$PYTHON"} python3.14t python3.13t
  pip_install .threads --only-binary :all: "${THREADS_PACKAGES[@]}" --editable .
  echo "${THREADS_PACKAGES[*]} $(sha256sum pyproject.toml)" >.threads/stamp
}

# .engines keeps what other calls have put there.
set_up_engines() {
  local extra=$(IFS=,; echo "$*") stamp="$* $(sha256sum pyproject.toml)"
  ! grep -qxF "$stamp" .engines/stamps 2>/dev/null || return 0
  make_environment .engines 'sys.version_info >= (3, 11)' 'Python 3.11 or later' ${PYTHON:+"$PYTHON"} python3 python3.12 python3.11
  pip_install .engines --editable ".[$extra]"
  echo "$stamp" >>.engines/stamps
}

# One set-up at a time, where the system has flock.
locked() {
  exec 9<scripts/_venv.sh
  if command -v flock >/dev/null; then flock 9; fi
  "$@"
  exec 9<&-
}

use_venv() {
  locked set_up_venv "$1"
  PYTHON=$PWD/.venv/bin/python
}

use_oracle() {
  locked set_up_oracle
  export HYBRIDONNX_ORACLE=$PWD/.oracle/bin/python
}

# $GPU_RUNTIME names another version of the package than the newest, or a wheel, for machines that have CUDA.
set_up_gpu() {
  local runtime=${GPU_RUNTIME:-onnxruntime-gpu[cuda,cudnn]}
  [ "$(cat .gpu/stamp 2>/dev/null)" != "$runtime $(sha256sum pyproject.toml)" ] || return 0
  make_environment .gpu 'sys.version_info >= (3, 11)' 'Python 3.11 or later' ${PYTHON:+"$PYTHON"} python3 python3.12 python3.11
  pip_install .gpu --editable '.[test]'
  .gpu/bin/python -m pip uninstall -qq --yes onnxruntime onnxruntime-gpu
  pip_install .gpu "$runtime"
  echo "$runtime $(sha256sum pyproject.toml)" >.gpu/stamp
}

use_gpu() {
  locked set_up_gpu
  PYTHON=$PWD/.gpu/bin/python
}

# .fuzz if atheris can be had for one of the interpreters, else .venv; sets $PYTHON
use_fuzz() {
  if (locked set_up_fuzz); then PYTHON=$PWD/.fuzz/bin/python; return; fi
  say "no atheris here: changes are not led by coverage"
  use_venv test
}

use_free_threaded() {
  locked set_up_free_threaded
  PYTHON=$PWD/.threads/bin/python
}

use_exporter() {
  locked set_up_exporter
  export HYBRIDONNX_ORACLE=$PWD/.oracle/bin/python
}

use_engines() {
  locked set_up_engines "$@"
  export HYBRIDONNX_ENGINES=$PWD/.engines/bin/python
}

use_triton() {
  if (locked set_up_triton); then export HYBRIDONNX_TRITON=$PWD/.triton/bin/python; return; fi
  say "no Triton here: its tests are skipped"
}

use_torch() {
  locked set_up_torch
  TORCH_PYTHON=$PWD/.torch/bin/python
}
