"""Writes small models whose linear layers are packed as AutoGPTQ, GPTQModel and AutoAWQ do, with the logits of `transformers`
for the same weights in f32.

python packed_weights.py MODELS_FOLDER   (which has `llama`, written by architectures.py)
"""

import json
import os
import shutil
import sys

import numpy
import torch
from safetensors.numpy import load_file, save_file
from transformers import AutoModelForCausalLM

AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]
VARIANTS = {
    "gptq": dict(method="gptq", bits=4, group=32, config=dict(desc_act=False, sym=False)),
    "gptq-8-bits": dict(method="gptq", bits=8, group=16, config=dict(checkpoint_format="gptq_v2", desc_act=False)),
    "gptq-act-order": dict(method="gptq", bits=4, group=16, config=dict(desc_act=True)),
    "awq": dict(method="awq", bits=4, group=32, config=dict(version="gemm", zero_point=True)),
}


def main(models):
    source = os.path.join(models, "llama")
    with open(os.path.join(source, "config.json")) as stream:
        config = json.load(stream)
    weights = load_file(os.path.join(source, "model.safetensors"))
    for name, variant in VARIANTS.items():
        folder = os.path.join(models, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        packed, widened = {}, {}
        generator = numpy.random.default_rng(7)
        for key, value in weights.items():
            if not key.endswith("_proj.weight"):
                packed[key] = widened[key] = value
                continue
            parts, widened[key] = pack(value.T, variant, generator)
            packed.update({key.replace(".weight", f".{part}"): tensor for part, tensor in parts.items()})
        save_file(packed, os.path.join(folder, "model.safetensors"), metadata={"format": "pt"})
        quantization = dict(quant_method=variant["method"], bits=variant["bits"], group_size=variant["group"])
        with open(os.path.join(folder, "config.json"), "w") as stream:
            json.dump(dict(config, quantization_config=dict(quantization, **variant["config"])), stream, indent=2)
            stream.write("\n")
        write_reference(source, widened, os.path.join(folder, "reference.json"))


def pack(weight, variant, generator):
    """`weight` is [in, out]. Returns the tensors of the layer, and the weights they stand for, [out, in]."""
    bits, group = variant["bits"], variant["group"]
    inputs, outputs = weight.shape
    groups = numpy.arange(inputs) // group
    if variant["config"].get("desc_act"):
        groups = generator.permutation(groups)
    top = 2**bits - 1
    scales = numpy.zeros((inputs // group, outputs), numpy.float16)
    zeros = numpy.zeros((inputs // group, outputs), numpy.int64)
    codes = numpy.zeros((inputs, outputs), numpy.int64)
    for index in range(inputs // group):
        rows = weight[groups == index]
        low, high = rows.min(0), rows.max(0)
        scale = ((high - low) / top).astype(numpy.float16)
        zero = numpy.clip(numpy.round(-low / scale.astype(numpy.float32)), 1, top)
        scales[index], zeros[index] = scale, zero
        codes[groups == index] = numpy.clip(numpy.round(rows / scale.astype(numpy.float32)) + zero, 0, top)
    widened = scales.astype(numpy.float32)[groups] * (codes - zeros[groups]).astype(numpy.float32)
    if variant["method"] == "awq":
        parts = dict(qweight=columns(codes, bits, AWQ_ORDER), qzeros=columns(zeros, bits, AWQ_ORDER), scales=scales)
    else:
        stored = zeros - (0 if variant["config"].get("checkpoint_format") == "gptq_v2" else 1)
        order = list(range(32 // bits))
        parts = dict(
            qweight=numpy.ascontiguousarray(columns(codes.T, bits, order).T),
            qzeros=columns(stored, bits, order),
            scales=scales,
            g_idx=groups.astype(numpy.int32),
        )
    return parts, numpy.ascontiguousarray(widened.T)


def columns(values, bits, order):
    """Packs each 32 / bits neighbouring columns into one word. `order[i]` is the column in the i-th place."""
    per_word = len(order)
    rows, count = values.shape
    words = numpy.zeros((rows, count // per_word), numpy.uint32)
    for place, column in enumerate(order):
        words |= values[:, column::per_word].astype(numpy.uint32) << numpy.uint32(bits * place)
    return words.view(numpy.int32)


@torch.no_grad()
def write_reference(source, weights, path):
    model = AutoModelForCausalLM.from_pretrained(source, attn_implementation="eager", dtype=torch.float32).eval()
    model.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in weights.items()}, strict=False)
    with open(os.path.join(source, "reference.json")) as stream:
        tokens = json.load(stream)["tokens"]
    logits = model(input_ids=torch.tensor([tokens]), use_cache=False).logits[0]
    rows = [[float(f"{value:.7g}") for value in row.tolist()] for row in logits]
    with open(path, "w") as stream:
        json.dump({"tokens": tokens, "logits": rows}, stream, separators=(",", ":"))
        stream.write("\n")


main(sys.argv[1])
