"""Writes what `transformers` makes of SmolLM2-135M, greedily: tokens and their logprobs.

python smollm2.py FOLDER FILE.gguf OUT.json
"""

import json
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

TOKENS = 200

CHATS = [
    "What is the capital of France?",
    "Write a short poem about the sea.",
    "Explain photosynthesis to a child.",
    "List five uses for a brick.",
    "Translate 'good morning' into Spanish, German and Italian.",
    "Write a Python function that reverses a string.",
    "Why is the sky blue?",
    "Give me a recipe for pancakes.",
    "What is 17 times 23? Show your steps.",
    "Summarise the plot of Romeo and Juliet in three sentences.",
    "How do vaccines work?",
    "Tell me a joke about computers.",
]

TEXTS = [
    "Once upon a time, in a village at the foot of a mountain,",
    "def fibonacci(n):\n    ",
    "The three laws of thermodynamics are",
    "{\"name\": \"Ada\", \"age\": 36, \"languages\": [",
    "In 1969, the first people landed on the moon.",
    "Water boils at 100 degrees Celsius. At higher altitudes",
    "Ingredients:\n- 2 eggs\n- 100 g flour\n",
    "Dear Sir or Madam,\n\nI am writing to",
]


def main(folder, file, out):
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32).eval()
    prompts = [chat(tokenizer, text) for text in CHATS] + [tokenizer(text)["input_ids"] for text in TEXTS]
    runs = [continue_greedily(model, prompt) for prompt in prompts]
    with open(out, "w") as stream:
        lines = ",\n".join(json.dumps(run, separators=(",", ":")) for run in runs)
        stream.write(f"[\n{lines}\n]\n")


def chat(tokenizer, text):
    text = f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n"
    return tokenizer(text)["input_ids"]


@torch.no_grad()
def continue_greedily(model, prompt):
    ids, logprobs, past = [], [], None
    new = torch.tensor([prompt])
    for _ in range(TOKENS):
        output = model(input_ids=new, past_key_values=past, use_cache=True)
        past = output.past_key_values
        row = torch.log_softmax(output.logits[0, -1].float(), dim=-1)
        token = int(row.argmax())
        ids.append(token)
        logprobs.append(round(float(row[token]), 6))
        new = torch.tensor([[token]])
    return {"prompt": prompt, "tokens": ids, "logprobs": logprobs}


main(*sys.argv[1:])
