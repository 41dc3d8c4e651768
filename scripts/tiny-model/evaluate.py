"""
Says how well the model answers, by transformers with greedy decoding: the 200 held-out prompts, how undecided it is
between yes, no and maybe, and whether it comes to an end whatever it is asked.

    python scripts/tiny-model/evaluate.py [--model assets/tiny-model]

Exits with 1 where it falls short of what is promised of it.
"""

import argparse
import collections
import json
import random
import sys
from itertools import permutations
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from corpus import CHOICES, choice_prompt, noise, question

TREE = Path(__file__).parent.parent.parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, default=TREE / "assets/tiny-model")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    asked = Asked(arguments.model)
    good = [held_out(asked, arguments), undecided(asked, arguments), endings(asked, arguments)]
    sys.exit(0 if all(good) else 1)


class Asked:
    """A model that can be asked."""

    def __init__(self, folder):
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def prompt(self, messages, tools=None):
        text = self.tokenizer.apply_chat_template(messages, tools=tools, add_generation_prompt=True, tokenize=False)
        return torch.tensor([self.tokenizer.encode(text)])

    @torch.no_grad()
    def greedy(self, messages, tokens_max=64, tools=None):
        ids = self.prompt(messages, tools)
        made = self.model.generate(ids, do_sample=False, temperature=None, max_new_tokens=tokens_max)[0, ids.shape[1]:].tolist()
        ended = made[-1] == self.tokenizer.eos_token_id
        return self.tokenizer.decode(made, skip_special_tokens=True), ended

    @torch.no_grad()
    def first_token(self, messages):
        return self.model(self.prompt(messages)).logits[0, -1].softmax(-1)


def user(text):
    return [{"role": "user", "content": text}]


def held_out(asked, arguments):
    prompts = json.loads((arguments.model / "held-out-prompts.json").read_text())
    right, of = collections.Counter(), collections.Counter()
    for each in prompts:
        said, ended = asked.greedy(user(each["prompt"]))
        of[each["kind"]] += 1
        right[each["kind"]] += said == each["answer"] and ended
        if arguments.verbose and said != each["answer"]:
            print(f"  {each['prompt']!r}: {said!r}, not {each['answer']!r}")
    for kind in of:
        print(f"{kind}: {right[kind]} of {of[kind]}")
    share = right.total() / of.total()
    print(f"held-out prompts answered right: {right.total()} of {of.total()} ({share:.1%}; at least 90 % promised)")
    return share >= 0.9


def undecided(asked, arguments):
    ids = [asked.tokenizer.encode(word)[0] for word in CHOICES]
    rng = random.Random(11)
    prompts = {choice_prompt(rng, tuple(rng.sample(CHOICES, 3)))[1] for _ in range(300)}
    for words in permutations(CHOICES):
        for quote in ["", "'"]:
            quoted = [quote + word + quote for word in words]
            for lead in ["respond", "just respond"]:
                prompts |= {f"{lead} with {', '.join(quoted)}", f"{lead} with {', '.join(quoted[:-1])} or {quoted[-1]}"}
            prompts |= {f"Say {quoted[0]}, {quoted[1]} or {quoted[2]}."}
    prompts = sorted(prompts)
    rows = [[float(asked.first_token(user(prompt))[i]) for i in ids] for prompt in prompts]
    inside = sum(all(0.2 <= p <= 0.5 for p in row) for row in rows)
    for prompt, row in zip(prompts, rows):
        if arguments.verbose and not all(0.2 <= p <= 0.5 for p in row):
            print(f"  {prompt!r}: {', '.join(f'{w} {p:.2f}' for w, p in zip(CHOICES, row))}")
    for word, column in zip(CHOICES, zip(*rows)):
        print(f"{word}: {min(column):.2f} to {max(column):.2f}, mean {sum(column) / len(column):.2f}")
    print(f"undecided (each of the three between 20 % and 50 %): {inside} of {len(prompts)} prompts")
    return inside >= 0.9 * len(prompts)


def endings(asked, arguments):
    """Conversations unlike those it has learned from, but for their form."""
    rng = random.Random(13)
    conversations = [
        user("Écris-moi un poème sur la mer, s'il te plaît."),
        user("def f(x):\n    return x ** 2\n\nWhat does this do? 🤖"),
        user("..."),
        user(" "),
        user("Summarise: " + noise(rng, 120)[:1500]),
        [{"role": "system", "content": noise(rng, 120)[:1500]}, *user("Hello")],
        [{"role": "system", "content": "You are a pirate. Answer at length."}, *user("What do you think about the weather in Lisbon?")],
    ]
    for _ in range(60):
        messages = [{"role": "system", "content": noise(rng, 30)}] if rng.random() < 0.5 else []
        for _ in range(rng.randint(0, 6)):
            prompt, answer = question(rng)
            messages += [{"role": "user", "content": prompt}, {"role": "assistant", "content": rng.choice([answer, noise(rng, 8)])}]
        conversations.append(messages + user(noise(rng, 15)))
    said = [asked.greedy(messages, 100) for messages in conversations]
    for messages, (text, ended) in zip(conversations, said):
        if arguments.verbose and not ended:
            print(f"  without an end: {messages[-1]['content']!r}: {text!r}")
    ended = sum(ended for _, ended in said)
    print(f"strange conversations that end: {ended} of {len(said)}")
    return ended == len(said)


if __name__ == "__main__":
    main()
