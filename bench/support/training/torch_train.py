"""Steps of LoRA training with PyTorch and peft: `torch_train.py MODEL ROWS LENGTH STEPS`.

Prints one line of JSON: the milliseconds of each step after the first, and the peak memory.
"""

import json
import os
import re
import sys
import time

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

MODULES = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def main(path, rows, length, steps):
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    folder, file = (path, None) if os.path.isdir(path) else os.path.split(path)
    base = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32)
    model = get_peft_model(base, LoraConfig(r=8, lora_alpha=16, target_modules=MODULES, lora_dropout=0.0)).train()
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.1)
    tokens = torch.tensor([[(i * i * 7 + 31 * row + 3 * i + 1) % 1000 for i in range(length)] for row in range(rows)])
    ms = []
    for _ in range(steps + 1):
        started = time.perf_counter()
        optimizer.zero_grad()
        logits = model(input_ids=tokens, use_cache=False).logits[:, :-1]
        loss = torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        loss.item()
        ms.append((time.perf_counter() - started) * 1000)
    status = open("/proc/self/status").read()
    peak = int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) * 1024
    print(json.dumps({"ms": ms[1:], "peakBytes": peak}))


main(sys.argv[1], *map(int, sys.argv[2:]))
