"""PyTorch and transformers, as program.ts says. Tokens are chosen in a plain loop: `generate` would take longer."""

import json
import os
import sys
import time

import torch
from transformers import AutoModelForCausalLM, DynamicCache

torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
folder, file = os.path.split(sys.argv[1])
model = None


@torch.inference_mode()
def generate(tokens: list[int], count: int) -> list[float]:
    started = time.perf_counter()
    global model
    if model is None:
        model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32).eval()
    cache = DynamicCache(config=model.config)
    ids = torch.tensor([tokens])
    ms = []
    for _ in range(count):
        logits = model(ids, past_key_values=cache, use_cache=True, logits_to_keep=1).logits
        ids = logits[:, -1].argmax(-1, keepdim=True)
        ids.item()
        ms.append((time.perf_counter() - started) * 1000)
    return ms


print("ready", flush=True)
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps(generate(question["tokens"], question["count"])), flush=True)
