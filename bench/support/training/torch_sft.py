"""Supervised fine-tuning of LoRA weights with PyTorch and peft: `torch_sft.py WORK.json`.

The work has the model's `path`, the folder of the first weights (`adapter`), `learningRate`, and `batches` of conversations
with `tokens` and `isTrained`. Prints one line of JSON: the loss and the milliseconds of each step, and the peak memory.
"""

import json
import os
import re
import sys
import time

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM


def main(path):
    with open(path) as stream:
        work = json.load(stream)
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    folder, file = (work["path"], None) if os.path.isdir(work["path"]) else os.path.split(work["path"])
    base = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32)
    model = PeftModel.from_pretrained(base, work["adapter"], is_trainable=True).train()
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=work["learningRate"], betas=(0.9, 0.99), weight_decay=0.0)
    losses, ms = [], []
    for batch in work["batches"]:
        started = time.perf_counter()
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        losses.append(loss.item())
        ms.append((time.perf_counter() - started) * 1000)
    status = open("/proc/self/status").read()
    peak = int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) * 1024
    print(json.dumps({"losses": losses, "ms": ms, "peakBytes": peak}))


def loss_of(model, batch):
    """The mean over the trained tokens of a padded batch."""
    length = max(len(each["tokens"]) for each in batch)
    tokens = torch.zeros(len(batch), length, dtype=torch.long)
    labels = torch.full((len(batch), length), -100)
    mask = torch.zeros(len(batch), length, dtype=torch.long)
    for row, each in enumerate(batch):
        own = torch.tensor(each["tokens"])
        tokens[row, : len(own)] = own
        mask[row, : len(own)] = 1
        labels[row, : len(own)] = torch.where(torch.tensor(each["isTrained"]) == 1, own, -100)
    logits = model(input_ids=tokens, attention_mask=mask, use_cache=False).logits[:, :-1]
    return torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels[:, 1:].reshape(-1))


main(sys.argv[1])
