#!/usr/bin/env bash
# skyrl.sh install: installs SkyRL, a Tinker server, in SKYRL_FOLDER (.venv-skyrl). It takes 3 minutes and 5 GB. PYTHON names a
# Python 3.12 or newer.
# skyrl.sh serve MODEL_FOLDER PORT WORK_FOLDER: runs it on the CPU over one base model, until the process is stopped.
set -eu
home=${SKYRL_FOLDER:-$(cd "$(dirname "$0")/../.." && pwd)/.venv-skyrl}
venv=$home/venv

case ${1:-} in
install)
  mkdir -p "$home"
  "${PYTHON:-python3.12}" -m venv --clear "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check uv
  # It imports aiohttp and does not require it.
  "$venv/bin/uv" pip install -q -p "$venv/bin/python" "skyrl[tinker,jax]==0.4.0" aiohttp
  touch "$venv/ready"
  ;;
serve)
  model=$2 port=$3 work=$4
  mkdir -p "$work"
  cd "$work"
  # The server starts its engine with `uv run` and the extras on its own command line, so a project with these names must exist.
  cat >pyproject.toml <<'PROJECT'
[project]
name = "skyrl-host"
version = "0"
requires-python = ">=3.12"
[project.optional-dependencies]
tinker = []
jax = []
PROJECT
  # With one sequence at a time, only one shape of each length has to be compiled.
  VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH JAX_PLATFORMS=cpu HF_HUB_OFFLINE=1 exec "$venv/bin/uv" run --active --no-sync \
    --extra tinker --extra jax -m skyrl.tinker.api --backend jax --base-model "$model" --host 127.0.0.1 --port "$port" \
    --database-url "sqlite:///$work/tinker.db" --checkpoints-base "$work/checkpoints" \
    --backend-config '{"max_lora_adapters": 8, "max_lora_rank": 8, "train_micro_batch_size": 1, "sample_max_num_sequences": 8}'
  ;;
*)
  sed -n '2,4p' "$0"
  exit 2
  ;;
esac
