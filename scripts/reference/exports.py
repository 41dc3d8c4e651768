"""Checks that `transformers`, `peft` and the package `gguf` open what heddle exports, with equal logits.

python exports.py EXPORTS_FOLDER TINY_MODEL_FOLDER SMOLLM2_FOLDER SMOLLM2_FILE
"""

import os
import sys

import gguf
import numpy
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

TEXTS = [
    "Say yes, no or maybe.",
    "def f(x):\n    return {'a': \"b\", 1: 1234567}\n",
    " Ünï 東京 🎉  and  more \n\n",
    "<|im_start|>user\nHi<|im_end|>\n",
]
TOLERANCE = 2e-4  # the logits are some tens large


def main(exports, tiny, smollm2, smollm2_file):
    check("tiny", os.path.join(exports, "tiny"), dict(pretrained_model_name_or_path=tiny))
    check("smollm2", os.path.join(exports, "smollm2"), dict(pretrained_model_name_or_path=smollm2, gguf_file=smollm2_file))


def check(name, folder, base):
    tokenizer = AutoTokenizer.from_pretrained(**base)
    merged_tokenizer = AutoTokenizer.from_pretrained(os.path.join(folder, "safetensors"))
    ids = [tokenizer(text)["input_ids"] for text in TEXTS]
    assert ids == [merged_tokenizer(text)["input_ids"] for text in TEXTS], f"{name}: other tokens"
    messages = [{"role": "user", "content": "Hi"}]
    rendered = [each.apply_chat_template(messages, tokenize=False) for each in (tokenizer, merged_tokenizer)]
    assert rendered[0] == rendered[1] != "", f"{name}: another chat template"

    plain = AutoModelForCausalLM.from_pretrained(**base, dtype=torch.float32, attn_implementation="eager").eval()
    before = logits(plain, ids)
    expected = logits(PeftModel.from_pretrained(plain, os.path.join(folder, "peft")).eval(), ids)
    merged = AutoModelForCausalLM.from_pretrained(os.path.join(folder, "safetensors"), attn_implementation="eager").eval()
    found = logits(merged, ids)
    print(f"{name}: the adapter changes logits by up to {distance(before, expected):.3g}")
    assert distance(before, expected) > 100 * TOLERANCE, f"{name}: the adapter changes nothing"
    report(name, "safetensors in transformers", distance(found, expected))

    in_gguf = dict(pretrained_model_name_or_path=os.path.join(folder, "gguf"), gguf_file="model.gguf")
    read = AutoModelForCausalLM.from_pretrained(**in_gguf, dtype=torch.float32, attn_implementation="eager").eval()
    report(name, "GGUF in transformers", distance(logits(read, ids), expected))
    check_gguf(name, os.path.join(folder, "gguf/model.gguf"), merged)


def check_gguf(name, path, merged):
    """The package of llama.cpp reads the same weights, and finds them by the names that it gives them."""
    reader = gguf.GGUFReader(path)
    architecture = reader.get_field("general.architecture").contents()
    kind = next(kind for kind, text in gguf.MODEL_ARCH_NAMES.items() if text == architecture)
    config = merged.config
    names = gguf.get_tensor_name_map(kind, config.num_hidden_layers)
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    for key, value in merged.state_dict().items():
        if key == "lm_head.weight" and config.tie_word_embeddings:
            continue
        tensor = tensors.pop(names.get_name(key, (".weight", ".bias")))
        expected = value.to(torch.float32).numpy()
        if architecture == "llama" and (".q_proj." in key or ".k_proj." in key):
            expected = permute(expected, config.num_attention_heads if ".q_proj." in key else config.num_key_value_heads)
        found = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        assert numpy.array_equal(found.reshape(expected.shape), expected), f"{name}: {tensor.name} has other values"
    assert not tensors, f"{name}: more tensors: {list(tensors)}"
    print(f"{name}: GGUF in the package gguf: all weights are equal")


def permute(values, heads):
    """As llama.cpp's converter stores queries and keys of Llama models."""
    return values.reshape(heads, 2, values.shape[0] // heads // 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


@torch.no_grad()
def logits(model, ids):
    return [model(input_ids=torch.tensor([each]), use_cache=False).logits[0].float() for each in ids]


def distance(found, expected):
    return max(float((a - b).abs().max()) for a, b in zip(found, expected, strict=True))


def report(name, what, found):
    print(f"{name}: {what}: logits differ by at most {found:.3g}")
    assert found < TOLERANCE, f"{name}: {what}: logits differ by {found}"


main(*sys.argv[1:])
