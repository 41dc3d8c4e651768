"""
Writes what transformers makes of 20 prompts with the model, in float32, for the tests that hold the engine against it.

    python scripts/tiny-model/reference.py [--model assets/tiny-model]

testing/tiny-model/greedy.json has for each prompt the messages, the rendered text, its token ids, up to 200 greedily chosen
tokens (the first prompts go on past the end of the answer, so that long sequences are compared too), and for each of
them its logprob and the five most likely tokens. prompt-logprobs.json has the logprob of every token of each
prompt, given those before it. logits.safetensors has all logits after the last token of each prompt.
"""

import argparse
import json
import random
from pathlib import Path

import torch
from safetensors.torch import save_file

from corpus import tool
from evaluate import Asked, user

TREE = Path(__file__).parent.parent.parent
TOKENS_MAX = 200


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, default=TREE / "assets/tiny-model")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    asked = Asked(arguments.model)
    folder = TREE / "testing/tiny-model"
    folder.mkdir(exist_ok=True)
    made = [continuation(asked, **each) for each in cases()]
    write(folder / "greedy.json", [row for row, _, _ in made])
    write(folder / "prompt-logprobs.json", [logprobs for _, logprobs, _ in made])
    save_file({f"last_logits_{index}": logits for index, (_, _, logits) in enumerate(made)}, folder / "logits.safetensors")


def cases():
    """Short and long, with system messages, several turns, tools, and other scripts."""
    rng = random.Random(17)
    turns = [*user("What is 3 + 4?"), {"role": "assistant", "content": "7"}, *user("Say lantern."), {"role": "assistant", "content": "lantern"}]
    long = [message for _ in range(20) for message in turns]
    plain = [
        "What is 12 + 7?", "What is 30 - 8?", "Is a dog an animal?", "Is fire cold?", "Will it rain tomorrow?", "Repeat the word harbour.",
        "respond with 'yes', 'no', 'maybe'", "Hello", "Who are you?", "Which is larger, 7 or 12?", "Say Zürich.", "Что это? 這是什麼？ 🙂",
    ]
    return [
        {"messages": user("Tell me a story."), "past_end": True},
        {"messages": user("12345 67890"), "past_end": True},
        {"messages": [{"role": "system", "content": "Answer in JSON."}, *user("What is 2 + 2?")], "past_end": True},
        *({"messages": user(text)} for text in plain),
        {"messages": [{"role": "system", "content": "You are a helpful assistant."}, *turns, *user("Thanks")]},
        {"messages": [*long, *user("What is 9 - 5?")]},
        {"messages": user("Use get_lamp with colour red."), "tools": [tool(rng), tool(rng)]},
        {"messages": user("a\n\n\tb   c\r\n d")},
        {"messages": user("")},
    ]


@torch.no_grad()
def continuation(asked, messages, tools=None, past_end=False):
    """Token by token without a cache of keys and values: the plainest way there is."""
    prompt = asked.prompt(messages, tools)[0].tolist()
    ids, chosen = list(prompt), []
    while len(chosen) < TOKENS_MAX:
        logits = asked.model(torch.tensor([ids]), use_cache=False).logits[0]
        last = logits[-1].log_softmax(-1)
        if not chosen:
            known = logits[:-1].log_softmax(-1)
            prompt_logprobs = [rounded(known[i, token]) for i, token in enumerate(ids[1:])]
            first_logits = logits[-1].clone()
        best = last.topk(5)
        top = [[int(token), rounded(value)] for value, token in zip(best.values, best.indices)]
        chosen.append({"token": top[0][0], "logprob": top[0][1], "top": top})
        ids.append(top[0][0])
        if ids[-1] == asked.tokenizer.eos_token_id and not past_end:
            break
    text = asked.tokenizer.decode(prompt)
    answer = asked.tokenizer.decode(ids[len(prompt):])
    row = {"messages": messages, "tools": tools, "text": text, "prompt": prompt, "answer": answer, "chosen": chosen}
    return row, prompt_logprobs, first_logits


def rounded(value):
    return round(float(value), 7)


def write(path, rows):
    path.write_text("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()
