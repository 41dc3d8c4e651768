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
    runs = [score(model, prompt, tokens) for prompt, tokens in zip(prompts, continue_greedily(model, prompts))]
    with open(out, "w") as stream:
        lines = ",\n".join(json.dumps(run, separators=(",", ":")) for run in runs)
        stream.write(f"[\n{lines}\n]\n")


def chat(tokenizer, text):
    text = f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n"
    return tokenizer(text)["input_ids"]


@torch.no_grad()
def continue_greedily(model, prompts):
    """All prompts at once, padded on the left."""
    longest = max(map(len, prompts))
    new = torch.tensor([[0] * (longest - len(prompt)) + prompt for prompt in prompts])
    mask = torch.tensor([[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts])
    made, past = [], None
    for _ in range(TOKENS):
        positions = (mask.cumsum(-1) - 1).clamp(min=0)[:, -new.shape[1] :]
        output = model(
            input_ids=new,
            attention_mask=mask,
            position_ids=positions,
            past_key_values=past,
            use_cache=True,
            logits_to_keep=1,
        )
        past = output.past_key_values
        new = output.logits[:, -1].argmax(dim=-1, keepdim=True)
        mask = torch.cat([mask, torch.ones_like(new)], dim=-1)
        made.append(new)
    return torch.cat(made, dim=-1).tolist()


@torch.no_grad()
def score(model, prompt, tokens):
    """Logprobs from one pass without padding, in which every token must be the likeliest again."""
    logits = model(input_ids=torch.tensor([prompt + tokens[:-1]]), use_cache=False).logits[0, len(prompt) - 1 :]
    assert logits.argmax(dim=-1).tolist() == tokens
    chosen = torch.log_softmax(logits, dim=-1)[range(len(tokens)), tokens]
    return {"prompt": prompt, "tokens": tokens, "logprobs": [round(float(each), 6) for each in chosen]}


main(*sys.argv[1:])
