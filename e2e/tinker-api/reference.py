"""Writes what PyTorch makes of the losses of the Tinker API: losses, gradient norms and weights over steps of AdamW.

python reference.py ../../assets/tiny-model reference.json
"""

import json
import math
import sys

import numpy
import torch
from transformers import AutoModelForCausalLM

from data import (
    ADAM,
    ALPHA,
    LENGTHS,
    LORA,
    LOSSES,
    STEPS,
    advantages_of,
    mask_of,
    old_logprobs,
    tokens_of,
    weights_of,
)

GROUPS = [
    ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
    ["self_attn.o_proj"],
    ["mlp.gate_proj", "mlp.up_proj"],
    ["mlp.down_proj"],
]
# The module and the number of its weights that are compared one by one.
COMPARED, COUNT = "model.layers.1.self_attn.q_proj", 64


def main(folder, out):
    results = {name: train(folder, name, config or {}) for name, config in LOSSES.items()}
    with open(out, "w") as stream:
        json.dump(results, stream, indent=1)
        stream.write("\n")


def train(folder, name, config):
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    model.requires_grad_(False)
    lora = add_lora(model)
    parameters = [parameter for pair in lora.values() for parameter in pair]
    optimizer = torch.optim.AdamW(
        parameters,
        lr=ADAM["learning_rate"],
        betas=(ADAM["beta1"], ADAM["beta2"]),
        eps=ADAM["eps"],
        weight_decay=ADAM["weight_decay"],
    )
    with torch.no_grad():
        old = [torch.tensor(old_logprobs(i, logprobs_of(model, i).tolist())) for i in range(len(LENGTHS))]
    losses, norms = [], []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = sum(loss_of(name, config, i, logprobs_of(model, i), old[i]) for i in range(len(LENGTHS)))
        loss.backward()
        losses.append(float(loss))
        norms.append(float(torch.nn.utils.clip_grad_norm_(parameters, ADAM["grad_clip_norm"])))
        optimizer.step()
    with torch.no_grad():
        logprobs = [logprobs_of(model, i).tolist() for i in range(len(LENGTHS))]
    a, b = lora[COMPARED]
    weights = {"a": a.detach().flatten()[:COUNT].tolist(), "b": b.detach().flatten()[:COUNT].tolist()}
    return {"losses": losses, "norms": norms, "logprobs": logprobs, "weights": weights}


def logprobs_of(model, sequence):
    tokens = torch.tensor([tokens_of(sequence)])
    logits = model(tokens[:, :-1]).logits
    return torch.log_softmax(logits, -1).gather(-1, tokens[:, 1:, None])[0, :, 0]


def loss_of(name, config, sequence, logprobs, old):
    if name == "cross_entropy":
        return -(logprobs * torch.tensor(weights_of(sequence))).sum()
    advantages = torch.tensor(advantages_of(sequence))
    low, high = config.get("clip_low_threshold", 0.8), config.get("clip_high_threshold", 1.2)
    ratio = torch.exp(logprobs - old)
    if name == "importance_sampling":
        return -(ratio * advantages).sum()
    if name == "cispo":
        return -(ratio.clamp(low, high).detach() * logprobs * advantages).sum()
    if name == "dro":
        return -(logprobs * advantages - 0.5 * config["beta"] * (logprobs - old) ** 2).sum()
    if name == "gspo":
        mask = torch.tensor(mask_of(sequence))
        ratio = torch.exp(((logprobs - old) * mask).sum() / mask.sum())
    return -torch.minimum(ratio * advantages, ratio.clamp(low, high) * advantages).sum()


def add_lora(model):
    """Adds `scale · (x·Aᵀ)·Bᵀ` to linear layers. B is 0, and A is uniform within ± 1 / √in, from the seed and its place."""
    pairs, start = {}, 0
    for layer in range(model.config.num_hidden_layers):
        for group in GROUPS:
            names = [f"model.layers.{layer}.{module}" for module in group]
            for name in names:
                linear = model.get_submodule(name)
                size = LORA["rank"] * linear.in_features
                values = uniform(start, size) / math.sqrt(linear.in_features)
                a = torch.tensor(values.reshape(LORA["rank"], -1), dtype=torch.float32, requires_grad=True)
                b = torch.zeros(linear.out_features, LORA["rank"], requires_grad=True)
                pairs[name] = (a, b)
                start += size
            start += sum(pairs[name][1].numel() for name in names)
    for name, (a, b) in pairs.items():
        model.get_submodule(name).register_forward_hook(
            lambda _, inputs, output, a=a, b=b: output + ALPHA / LORA["rank"] * (inputs[0] @ a.T) @ b.T
        )
    return pairs


def uniform(start, count):
    """From −1 to 1: four values for each counter of Philox 4×32-10, which is the place of the first one."""
    words = philox(numpy.arange(start, start + count, 4, dtype=numpy.uint64), LORA["seed"])
    return words.T.flatten() / 2.0**31 - 1


def philox(counters, seed):
    low = numpy.uint64(0xFFFFFFFF)
    zero = numpy.zeros_like(counters)
    words = [counters, zero, zero, zero]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first = words[0] * numpy.uint64(0xD2511F53)
        second = words[2] * numpy.uint64(0xCD9E8D57)
        words = [
            (second >> numpy.uint64(32)) ^ words[1] ^ numpy.uint64(key[0]),
            second & low,
            (first >> numpy.uint64(32)) ^ words[3] ^ numpy.uint64(key[1]),
            first & low,
        ]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return numpy.array(words)


if __name__ == "__main__":
    main(*sys.argv[1:])
