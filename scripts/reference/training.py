"""Writes what PyTorch and `peft` make of training LoRA weights over the models of random weights: loss, gradients, and the
weights after some steps of AdamW.

python training.py MODELS_FOLDER OUT.json
"""

import base64
import json
import math
import os
import sys

import numpy
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

RANK, ALPHA, STEPS = 4, 8, 3
GROUPS = [
    ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
    ["self_attn.o_proj"],
    ["mlp.gate_proj", "mlp.up_proj"],
    ["mlp.down_proj"],
]


def main(folder, out):
    results = {name: train(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}
    with open(out, "w") as stream:
        json.dump(results, stream, indent=1)
        stream.write("\n")


def train(path):
    base = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32, attn_implementation="eager")
    modules = [module.split(".")[1] for group in GROUPS for module in group]
    model = get_peft_model(base, LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=modules, lora_dropout=0.0))
    parameters = in_order(model)
    set_values(parameters)
    optimizer = torch.optim.AdamW(parameters, lr=0.02, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.1)
    losses, norms, gradients = [], [], None
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        losses.append(float(loss))
        if gradients is None:
            gradients = encode([parameter.grad for parameter in parameters])
        norms.append(float(torch.nn.utils.clip_grad_norm_(parameters, 0.1)))
        optimizer.step()
    return {"losses": losses, "norms": norms, "gradients": gradients, "parameters": encode(parameters)}


def in_order(model):
    """As heddle has them in one array: for each layer and each input of linear layers all `a`, then each `b`."""
    named = dict(model.named_parameters())
    ordered = []
    for layer in range(model.config.num_hidden_layers):
        for group in GROUPS:
            stems = [f"base_model.model.model.layers.{layer}.{module}" for module in group]
            ordered += [named[f"{stem}.lora_A.default.weight"] for stem in stems]
            ordered += [named[f"{stem}.lora_B.default.weight"] for stem in stems]
    return ordered


def set_values(parameters):
    """Some numbers of up to 0.1."""
    start = 0
    for parameter in parameters:
        values = [0.1 * math.sin(i * 12.9898 + (i % 7)) for i in range(start, start + parameter.numel())]
        with torch.no_grad():
            parameter.copy_(torch.tensor(values, dtype=torch.float64).reshape(parameter.shape))
        start += parameter.numel()


def loss_of(model):
    """The mean over the tokens that are learned, of two sequences."""
    sequences = [(24, lambda i: i % 3 != 0), (17, lambda i: i > 5)]
    losses = []
    for length, is_learned in sequences:
        tokens = torch.tensor([(i * i * 5 + 3 * i + length) % 48 for i in range(length)])
        logprobs = torch.log_softmax(model(input_ids=tokens[None], use_cache=False).logits[0], dim=-1)
        losses += [-logprobs[i - 1, tokens[i]] for i in range(1, length) if is_learned(i)]
    return torch.stack(losses).mean()


def encode(tensors):
    flat = numpy.concatenate([tensor.detach().numpy().ravel() for tensor in tensors]).astype("<f4")
    return base64.b64encode(flat.tobytes()).decode()


main(*sys.argv[1:])
