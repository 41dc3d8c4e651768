"""Writes a suite, and training data with 2,000 known leaks of it and 10,000 innocent rows, as JSON lines.

Rows are made of paragraphs of the Python standard library's documentation. Whether a changed row is still a copy, and whether an
innocent row is one by chance, is decided here by brute force. It shares no code with heddle's detector.

Usage: python3 bench/leaks.py SEED
"""

import ast
import json
import os
import random
import re
import sys


def paragraphs():
    root = os.path.dirname(os.__file__)
    found = set()
    for folder, _, files in os.walk(root):
        if "site-packages" in folder:
            continue
        for file in files:
            if not file.endswith(".py"):
                continue
            try:
                with open(os.path.join(folder, file), encoding="utf8") as source:
                    tree = ast.parse(source.read())
            except (SyntaxError, UnicodeDecodeError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module, ast.AsyncFunctionDef)):
                    for part in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                        if ">>>" not in part and len(part.split()) >= 4:
                            found.add(" ".join(part.split()))
    return sorted(found)


def triples(text):
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[i : i + 3]) for i in range(len(words) - 2)}


def jaccard(a, b):
    return len(a & b) / max(1, len(a | b))


random.seed(int(sys.argv[1]))
ALL = paragraphs()
random.shuffle(ALL)
LONG = [p for p in ALL if len(p.split()) >= 8]
PROMPTS = [" ".join(LONG.pop() for _ in range(6)) for _ in range(5)]
ANSWERS = [LONG.pop() for _ in range(1000)]
SHORT = [p for p in ALL if len(p.split()) < 8 and len(p.split()) >= 4]
OTHERS = LONG[3000:]
filler_words = " ".join(OTHERS).split()


def filler(count):
    start = random.randrange(len(filler_words) - count)
    return " ".join(filler_words[start : start + count])


def row(kind, text):
    prompt = random.choice(PROMPTS)
    if kind == "turns":
        return [prompt, text, random.choice(ANSWERS), random.choice(LONG[2000:3000])]
    return [prompt, text]


def restyled(text):
    changes = [
        lambda t: t.upper(),
        lambda t: "  ".join(t.split(" ")) + "\n",
        lambda t: re.sub(r"[.,;:]", " ", t),
        lambda t: "“" + t.replace(" ", "\u00a0") + "”",
    ]
    return random.choice(changes)(text)


def edited(text):
    """Changes, removes and adds words while the Jaccard similarity of word triples is at least 0.8."""
    before = triples(text)
    words = text.split()
    for _ in range(max(1, len(words) // 15)):
        changed = list(words)
        at = random.randrange(len(changed))
        how = random.random()
        if how < 0.4:
            changed[at] = random.choice(filler_words)
        elif how < 0.7:
            del changed[at]
        else:
            changed.insert(at, random.choice(filler_words))
        if jaccard(before, triples(" ".join(changed))) < 0.8:
            break
        words = changed
    return None if words == text.split() else " ".join(words)


def leak(kind, messages):
    prompt, text, *rest = messages
    answer = random.choice(ANSWERS)
    if kind in ("exact", "short"):
        return [prompt, text, *rest, answer]
    if kind == "restyled":
        return [prompt, restyled(text), answer]
    if kind == "edited":
        changed = edited(text)
        return None if changed is None else [prompt, changed, answer]
    if kind == "inside":
        total = random.choice([200, 1000, 4000, 8000])
        before = random.randrange(total)
        return [filler(max(1, before)) + " " + text + " " + filler(max(1, total - before)), answer]
    return [*messages, answer, random.choice(ANSWERS)]  # the next turns


KINDS = ["exact", "restyled", "edited", "inside", "turns", "short"]
counts = dict.fromkeys(KINDS, 0)
short = iter(SHORT)
pool = iter(LONG[:2000])
suite, training = [], []
while len(suite) < 2000:
    kind = KINDS[len(suite) % len(KINDS)]
    text = next(short) if kind == "short" else next(pool, None) or random.choice(LONG[:2000]) + " " + filler(12)
    if kind == "inside" and not 18 <= len(text.split()) <= 22:
        text = " ".join((text + " " + filler(20)).split()[:20])
    messages = row(kind, text)
    copy = leak(kind, messages)
    if copy is None:
        continue
    number = str(len(suite))
    suite.append({"id": number, "messages": messages})
    training.append({"messages": copy, "kind": kind, "leaks": number, "words": len(text.split())})

known = [triples(message) for each in suite for message in each["messages"][1:]]
index = {}
for number, each in enumerate(known):
    for triple in each:
        index.setdefault(triple, []).append(number)
innocent = 0
while innocent < 10000:
    messages = [random.choice(PROMPTS), random.choice(OTHERS), random.choice(OTHERS)]
    hits = {}
    for triple in triples(" ".join(messages[1:])):
        for number in index.get(triple, []):
            hits[number] = hits.get(number, 0) + 1
    if any(count >= 0.5 * len(known[number]) for number, count in hits.items()):
        continue  # it has most of a message by chance
    innocent += 1
    training.append({"messages": messages, "kind": "innocent", "leaks": None, "words": sum(len(m.split()) for m in messages[1:])})

random.shuffle(training)
for each in suite:
    print(json.dumps({"suite": each}))
for each in training:
    print(json.dumps({"training": each}))
