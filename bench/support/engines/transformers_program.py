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
def generate(prompts: list[list[int]], count: int) -> list[list[float]]:
    started = time.perf_counter()
    global model
    if model is None:
        model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32).eval()
    cache = DynamicCache(config=model.config)
    ids = torch.tensor(prompts)
    ms = []
    for _ in range(count):
        logits = model(ids, past_key_values=cache, use_cache=True, logits_to_keep=1).logits
        ids = logits[:, -1].argmax(-1, keepdim=True)
        ids.tolist()
        ms.append((time.perf_counter() - started) * 1000)
    return [ms] * len(prompts)


print("ready", flush=True)
for line in sys.stdin:
    questions = json.loads(line)  # all of one length
    print(json.dumps(generate([each["tokens"] for each in questions], questions[0]["count"])), flush=True)
