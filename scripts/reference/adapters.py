"""Writes LoRA adapters of random weights with `peft`, and the logits of `transformers` with them.

python adapters.py MODELS_FOLDER OUT_FOLDER
"""

import json
import os
import shutil
import sys

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
PATTERNS = dict(
    rank_pattern={"q_proj": 2, "^model.layers.1.mlp.down_proj": 6},
    alpha_pattern={"layers.0.self_attn.k_proj": 16},
)

ADAPTERS = {
    "llama-all": ("llama", dict(r=4, lora_alpha=8, target_modules=ALL), torch.float32),
    "llama-rslora": ("llama", dict(r=8, lora_alpha=4, target_modules=["q_proj", "v_proj"], use_rslora=True), torch.bfloat16),
    "llama-mlp": ("llama", dict(r=3, lora_alpha=5, target_modules=["gate_proj", "down_proj"]), torch.float16),
    "llama-patterns": ("llama", dict(r=4, lora_alpha=4, target_modules=ALL, **PATTERNS), torch.float32),
    "llama-layer": ("llama", dict(r=4, lora_alpha=8, target_modules=ALL, layers_to_transform=[1]), torch.float32),
    "llama-biased": ("llama-biased", dict(r=4, lora_alpha=8, target_modules=ALL), torch.float32),
    "mistral-window": ("mistral-window", dict(r=4, lora_alpha=8, target_modules=ALL), torch.float32),
    "qwen2": ("qwen2", dict(r=4, lora_alpha=8, target_modules=ALL), torch.float32),
    "qwen3": ("qwen3", dict(r=4, lora_alpha=8, target_modules=ALL), torch.float32),
}

REFUSED = {
    "dora": dict(use_dora=True),
    "bias": dict(bias="lora_only"),
    "lora-bias": dict(lora_bias=True),
    "whole-module": dict(modules_to_save=["lm_head"]),
    "embedding": dict(target_modules=["q_proj", "embed_tokens"]),
    "tokens": dict(trainable_token_indices=[3]),
    "pissa": dict(init_lora_weights="pissa"),
}


@torch.no_grad()
def main(models, out):
    shutil.rmtree(out, ignore_errors=True)
    for seed, (name, (base, options, dtype)) in enumerate(ADAPTERS.items()):
        torch.manual_seed(seed)
        model = adapted(os.path.join(models, base), base, options)
        shake(model, dtype)
        folder = save(model, os.path.join(out, "served", name), dtype)
        write_reference(model, base, name, os.path.join(folder, "reference.json"))
    for name, options in REFUSED.items():
        torch.manual_seed(7)
        model = adapted(os.path.join(models, "llama-biased"), "llama-biased", dict(r=2, target_modules=["q_proj"]) | options)
        save(model, os.path.join(out, "refused", name), torch.float32)


def adapted(folder, base, options):
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    model.name_or_path = base
    model.config.name_or_path = base
    return get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **options)).eval()


def shake(model, dtype):
    """B starts as zeros, which would hide that it is left out."""
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            parameter.copy_((torch.randn_like(parameter) * 0.15).to(dtype))


def save(model, folder, dtype):
    state = {name: value.to(dtype) for name, value in model.state_dict().items() if "lora_" in name}
    if dtype == torch.float32:
        model.save_pretrained(folder)
    else:
        model.save_pretrained(folder, state_dict=state)
    for name in ["README.md"]:
        os.remove(os.path.join(folder, name))
    return folder


def write_reference(model, base, name, path):
    tokens = [(i * i * 5 + 3 * i + 1) % model.config.vocab_size for i in range(24)]
    reference = {"base": base, "tokens": tokens, "logits": logits(model, tokens)}
    if name == "llama-all":
        reference["alone"] = {kind: only(model, kind, tokens) for kind in ALL}
    with open(path, "w") as stream:
        json.dump(reference, stream, separators=(",", ":"))
        stream.write("\n")


def only(model, kind, tokens):
    """The last logits if only the layers of this kind are changed."""
    others = [value for name, value in model.named_parameters() if "lora_B" in name and f".{kind}." not in name]
    kept = [value.clone() for value in others]
    for value in others:
        value.zero_()
    found = logits(model, tokens)[-2:]
    for value, before in zip(others, kept):
        value.copy_(before)
    return found


def logits(model, tokens):
    rows = model(input_ids=torch.tensor([tokens]), use_cache=False).logits[0]
    return [[float(f"{value:.7g}") for value in row.tolist()] for row in rows]


main(*sys.argv[1:])
