"""Writes random blocks of each GGUF type, and what the `gguf` package dequantises them to.

python gguf_types.py OUT.json
"""

import base64
import json
import sys

import gguf
import numpy

BLOCKS = 3
TYPES = ["F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K"]
# Where in a block its 16-bit floats stand, which must be finite.
HALVES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}


def main(out):
    random = numpy.random.default_rng(7)
    cases = [case(random, name) for name in TYPES]
    with open(out, "w") as stream:
        json.dump(cases, stream, indent=1)
        stream.write("\n")


def case(random, name):
    kind = gguf.GGMLQuantizationType[name]
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (BLOCKS * (16 if elements == 1 else 1), size), dtype=numpy.uint8)
    for offset in HALVES.get(name, []):
        scales = random.normal(0, 0.1, len(blocks)).astype(numpy.float16)
        blocks[:, offset : offset + 2] = scales.reshape(-1, 1).view(numpy.uint8)
    if elements == 1:
        values = random.normal(0, 3, len(blocks)).astype(numpy.float32)
        blocks = gguf.quants.quantize(values, kind).view(numpy.uint8)
    values = gguf.quants.dequantize(blocks.reshape(1, -1), kind).astype(numpy.float32)
    return {"type": int(kind), "name": name, "bytes": encode(blocks), "values": encode(values)}


def encode(array):
    return base64.b64encode(array.tobytes()).decode()


main(sys.argv[1])
