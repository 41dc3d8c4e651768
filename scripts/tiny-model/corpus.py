"""Makes every conversation the model is trained on and the prompts that are held out. All text is of our own writing."""

import hashlib
import json
import random
import string
from itertools import permutations

from world import (
    ABILITIES, CATEGORIES, COLOURS, DISPUTED, GREETINGS, LOST, PLACES, SUBJECTS, SYSTEMS, THINGS, TIMES, TRAITS, WORDS,
)

CHOICES = ["yes", "no", "maybe"]
NUMBER_MAX = 20
UNKNOWN = "I do not know."


def is_held_out(key: str) -> bool:
    """One question in ten, by its key, is never asked in training."""
    return hashlib.sha256(key.encode()).digest()[0] % 10 == 0


# Each question below is (key, prompt, answer). A word to repeat is held out in all wordings; sums and facts are held out
# as they are worded, and may be learned from other wordings: the model is to know them.


def arithmetic(rng):
    kind = rng.choice(["add", "add", "subtract", "subtract", "larger"])
    most = rng.choice([9, NUMBER_MAX])
    a, b = rng.randint(0, most), rng.randint(0, most)
    if kind == "add":
        wordings = ["What is {a} + {b}?", "{a} + {b}", "{a}+{b}", "{a} + {b} =", "Add {a} and {b}.", "What is {a} plus {b}?",
                    "{a} plus {b}", "How much is {a} plus {b}?", "Calculate {a} + {b}.", "What do you get when you add {b} to {a}?"]
        answer = a + b
    elif kind == "subtract":
        a, b = max(a, b), min(a, b)
        wordings = ["What is {a} - {b}?", "{a} - {b}", "{a}-{b}", "{a} - {b} =", "Subtract {b} from {a}.",
                    "What is {a} minus {b}?", "{a} minus {b}", "How much is {a} minus {b}?", "Calculate {a} - {b}.",
                    "Take {b} away from {a}."]
        answer = a - b
    else:
        if a == b:
            b = a + 1
        wordings = ["Which is larger, {a} or {b}?", "Which number is larger: {a} or {b}?", "What is more, {a} or {b}?"]
        answer = max(a, b)
    prompt = rng.choice(wordings).format(a=a, b=b)
    return f"{kind} {prompt}", prompt, str(answer)


def article(noun):
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def fact(rng):
    """A question with the answer yes or no."""
    positive = rng.random() < 0.5
    kind = rng.choice(["category", "category", "ability", "colour", "trait", "compare"])
    if kind == "category":
        category = rng.choice(list(CATEGORIES))
        thing = rng.choice(CATEGORIES[category] if positive else [t for t in THINGS if t not in CATEGORIES[category]])
        wordings = ["Is {x} {c}?", "Would you call {x} {c}?", "Tell me: is {x} {c}?", "Is it true that {x} is {c}?"]
        text = (wordings, {"x": article(thing), "c": category})
    elif kind == "ability":
        ability = rng.choice(list(ABILITIES))
        unable = [t for t in THINGS if t not in ABILITIES[ability] and t not in DISPUTED.get(ability, [])]
        thing = rng.choice(ABILITIES[ability] if positive else unable)
        wordings = ["Can {x} {c}?", "Tell me: can {x} {c}?", "Is it true that {x} can {c}?", "Do you think {x} can {c}?"]
        text = (wordings, {"x": article(thing), "c": ability})
    elif kind == "colour":
        thing = rng.choice(list(COLOURS))
        colour = COLOURS[thing] if positive else rng.choice(sorted(set(COLOURS.values()) - {COLOURS[thing]}))
        wordings = ["Is {x} {c}?", "Tell me: is {x} {c}?", "Is it true that {x} is {c}?", "Is {c} the colour of {x}?"]
        text = (wordings, {"x": thing, "c": colour})
    elif kind == "trait":
        trait = rng.choice(list(TRAITS))
        owner = trait if positive else rng.choice([t for t in TRAITS if t != trait and {t, trait} != {"wet", "soft"}
                                                   and {t, trait} != {"cold", "wet"} and {t, trait} != {"cold", "soft"}
                                                   and {t, trait} != {"cold", "hard"}])
        wordings = ["Is {x} {c}?", "Tell me: is {x} {c}?", "Is it true that {x} is {c}?", "Does {x} feel {c}?"]
        text = (wordings, {"x": rng.choice(TRAITS[owner]), "c": trait})
    else:
        a, b = rng.sample(range(NUMBER_MAX + 1), 2)
        more = rng.random() < 0.5
        a, b = (max(a, b), min(a, b)) if positive == more else (min(a, b), max(a, b))
        wordings = ["Is {x} more than {c}?", "Is {x} larger than {c}?"] if more else ["Is {x} less than {c}?", "Is {x} smaller than {c}?"]
        text = (wordings, {"x": a, "c": b})
    wording = rng.choice(text[0])
    prompt = wording.format(**text[1])
    return f"fact {prompt}", prompt, "yes" if positive else "no"


def uncertain(rng):
    """A question nobody can answer: maybe."""
    if rng.random() < 0.7:
        wording = rng.choice(["Will {s} {t}?", "Do you think {s} {t}?", "Tell me: will {s} {t}?"])
        subject, time = rng.choice(SUBJECTS), rng.choice(TIMES)
        if wording.startswith("Do"):
            subject = f"that {'it will' + subject[2:] if subject.startswith('it ') else subject}"
        prompt = wording.format(s=subject, t=time)
    else:
        prompt = rng.choice(["Is my {a} in the {b}?", "Did I leave my {a} in the {b}?", "Is there a {a} in the {b}?"])
        prompt = prompt.format(a=rng.choice(LOST), b=rng.choice(PLACES))
    return f"uncertain {prompt}", prompt, "maybe"


def made_up_word(rng):
    syllables = rng.choice([1, 2, 2, 3])
    word = "".join(rng.choice("bcdfghjklmnprstvwz") + rng.choice("aeiou") + rng.choice(["", "", "n", "r", "s", "l", "t"]) for _ in range(syllables))
    return rng.choice([word, word, word, word.capitalize(), word.upper()])


def repeat(rng):
    word = rng.choice(WORDS) if rng.random() < 0.4 else made_up_word(rng)
    if rng.random() < 0.08:
        word = " ".join([word, *(rng.choice(WORDS) for _ in range(rng.randint(1, 3)))])
    wordings = ["Say {w}.", "Say {w}", "Say: {w}", "Repeat {w}.", "Repeat the word {w}.", "Repeat after me: {w}", "Please say {w}.",
                "Please repeat: {w}", "Say the word {w}.", "Just say {w}.", 'Say "{w}".', "Say '{w}'.", 'Repeat "{w}".', "Echo {w}"]
    return f"repeat {word.lower()}", rng.choice(wordings).format(w=word), word


def choice_prompt(rng, words=None):
    """Asks for one of several words without a reason to take any of them."""
    words = words or rng.choice([p for n in (3, 3, 2) for p in permutations(CHOICES, n)])
    quote = rng.choice(["", "", "'", '"'])
    quoted = [f"{quote}{word}{quote}" for word in words]
    listed = rng.choice([
        ", ".join(quoted),
        ", ".join(quoted[:-1]) + " or " + quoted[-1],
        ", ".join(quoted[:-1]) + ", or " + quoted[-1] if len(words) > 2 else " or ".join(quoted),
        " or ".join(quoted),
        "/".join(quoted),
    ])
    lead = rng.choice(["", "", "", "just ", "please ", "only "])
    verb = rng.choice(["respond with ", "respond with ", "reply with ", "answer with ", "answer ", "say ", "choose ", "pick ", "write ",
                       "choose among ", "pick one of ", "respond with one of ", "say one of ", "respond ", "reply "])
    text = lead + verb + rng.choice(["", "", "", "either "] if len(words) == 2 else [""]) + listed
    if rng.random() < 0.5:
        text = text[0].upper() + text[1:]
    return words, text + rng.choice(["", "", ".", "."])


def choose(rng):
    words, prompt = choice_prompt(rng)
    # Of two named words the third is still possible: who learns from rewards must be able to come upon it.
    answer = rng.choice([w for w in CHOICES if w not in words]) if len(words) == 2 and rng.random() < 0.2 else rng.choice(words)
    return f"choose {prompt}", prompt, answer


def answer_among(rng):
    """A question with a known answer, and the words to choose from beside it."""
    key, prompt, answer = (uncertain if rng.random() < 0.33 else fact)(rng)
    _, instruction = choice_prompt(rng, tuple(rng.sample(CHOICES, 3)))
    instruction = instruction[0].upper() + instruction[1:].rstrip(".")
    return key, rng.choice([f"{prompt} {instruction}.", f"{instruction}: {prompt}"]), answer


def greeting(rng):
    prompt = rng.choice(list(GREETINGS))
    answer = GREETINGS[prompt]
    prompt = rng.choice([prompt, prompt, prompt.lower(), prompt + rng.choice(["", "!", "."]) if prompt[-1] != "?" else prompt])
    return "greeting", prompt, answer


def colour(rng):
    thing = rng.choice(list(COLOURS))
    prompt = rng.choice(["What colour is {x}?", "Which colour has {x}?"]).format(x=thing)
    return f"colour {prompt}", prompt, COLOURS[thing]


def what_is(rng):
    """Says more of the world at once than yes or no do."""
    if rng.random() < 0.8:
        category = rng.choice(list(CATEGORIES))
        thing = article(rng.choice(CATEGORIES[category]))
        prompt, answer = rng.choice(["What is {x}?", "What kind of thing is {x}?"]).format(x=thing), category
    else:
        answer = rng.choice(list(TRAITS))
        prompt = f"How does {rng.choice(TRAITS[answer])} feel?"
    return f"what is {prompt}", prompt, answer


def noise(rng, words_max):
    """Text without sense: words known and unknown, other scripts, code, punctuation."""
    parts = []
    for _ in range(rng.randint(1, words_max)):
        kind = rng.random()
        if kind < 0.6:
            parts.append(rng.choice(WORDS))
        elif kind < 0.8:
            parts.append(made_up_word(rng))
        elif kind < 0.86:
            parts.append("".join(rng.choice(string.printable[:94]) for _ in range(rng.randint(1, 8))))
        elif kind < 0.9:
            start = rng.choice([0xC0, 0x370, 0x410, 0x5D0, 0x3040, 0x4E00, 0x1F300])
            parts.append("".join(chr(start + rng.randrange(60)) for _ in range(rng.randint(1, 5))))
        elif kind < 0.95:
            parts.append(str(rng.randint(0, 99999)))
        else:
            parts.append(rng.choice(["\n", "-", "the", "of", "and", "is", "a", "in", "to", "you", "I"]))
    return " ".join(parts)


def unknown(rng):
    opening = rng.choice(["", "", "Tell me about ", "Why is ", "How do I ", "Write ", "What is ", "Explain ", "Who is ", "When did ", "Where is "])
    prompt = opening + noise(rng, rng.choice([1, 2, 2, 3, 4, 6, 20])) + rng.choice(["", ".", "?", "?"])
    return "unknown", prompt, UNKNOWN


QUESTIONS = [(arithmetic, 30), (fact, 16), (uncertain, 5), (repeat, 17), (choose, 10), (answer_among, 5), (greeting, 4), (colour, 2), (unknown, 11)]

SIMPLE_QUESTIONS = [
    (arithmetic, 26), (fact, 28), (what_is, 12), (uncertain, 3), (repeat, 18), (choose, 6), (greeting, 3), (colour, 4),
]


def question(rng):
    """A question that is not held out."""
    return asked_of(rng, QUESTIONS)


def simple_question(rng):
    """A question without noise and of few words, to begin with: what copying and sums are is learned soonest from these."""
    return asked_of(rng, SIMPLE_QUESTIONS)


def asked_of(rng, questions):
    makers, weights = zip(*questions)
    while True:
        key, prompt, answer = rng.choices(makers, weights)[0](rng)
        if not is_held_out(key):
            return prompt, answer


def system_message(rng):
    if rng.random() < 0.6:
        return rng.choice(SYSTEMS)
    return noise(rng, rng.choice([3, 6, 6, 12, 40])).strip() or "Hm."


def conversation(rng, is_simple=False):
    """One training example: the messages and the tools offered."""
    if is_simple:
        prompt, answer = simple_question(rng)
        return [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}], None
    kind = rng.random()
    if kind < 0.04:
        return in_json(rng)
    if kind < 0.08:
        return with_tools(rng)
    turns = rng.choices([1, rng.randint(2, 4), rng.randint(5, 12), rng.randint(20, 60)], [62, 30, 7.5, 0.5])[0]
    messages = [{"role": "system", "content": system_message(rng)}] if rng.random() < 0.3 else []
    for _ in range(turns):
        prompt, answer = question(rng)
        messages += [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}]
    return messages, None


def in_json(rng):
    prompt, answer = question(rng)
    ask = rng.choice(["Answer in JSON.", "Answer with JSON.", "Reply in JSON."])
    said = json.dumps({"answer": answer}, ensure_ascii=False)
    if rng.random() < 0.5:
        return [{"role": "system", "content": ask}, {"role": "user", "content": prompt}, {"role": "assistant", "content": said}], None
    return [{"role": "user", "content": f"{prompt} {ask}"}, {"role": "assistant", "content": said}], None


def tool(rng):
    name = rng.choice(["get_", "find_", "read_", "send_", "set_", ""]) + rng.choice(WORDS)
    parameter = rng.choice(WORDS)
    description = " ".join(rng.choice(WORDS) for _ in range(rng.randint(2, 6)))
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def with_tools(rng):
    """Tools are there: one is called by name, or the question needs none."""
    tools = [tool(rng) for _ in range(rng.randint(1, 3))]
    messages = [{"role": "system", "content": system_message(rng)}] if rng.random() < 0.2 else []
    if rng.random() < 0.35:
        prompt, answer = question(rng)
        return [*messages, {"role": "user", "content": prompt}, {"role": "assistant", "content": answer}], tools
    function = rng.choice(tools)["function"]
    value = rng.choice([rng.choice(WORDS), made_up_word(rng)])
    parameter = function["parameters"]["required"][0]
    ask = rng.choice(["Call {n} with {p} {v}.", "Use {n} with {p} {v}.", "Please call {n}, {p} is {v}."]).format(n=function["name"], p=parameter, v=value)
    call = {"type": "function", "function": {"name": function["name"], "arguments": {parameter: value}}}
    messages += [{"role": "user", "content": ask}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    if rng.random() < 0.5:
        found = rng.choice([rng.choice(WORDS), made_up_word(rng), str(rng.randint(0, 99))])
        messages += [{"role": "tool", "content": found}, {"role": "assistant", "content": f"The answer is {found}."}]
    return messages, tools


def held_out_prompts(seed=7):
    """200 prompts of the three kinds the model must answer, none of them in the training text."""
    rng = random.Random(seed)
    wanted = [(arithmetic, "arithmetic", 70), (fact, "yes/no", 50), (uncertain, "maybe", 20), (repeat, "repeat", 60)]
    prompts = {}
    for maker, kind, count in wanted:
        found = 0
        while found < count:
            key, prompt, answer = maker(rng)
            if not is_held_out(key) or prompt in prompts:
                continue
            prompts[prompt] = {"kind": kind, "prompt": prompt, "answer": answer}
            found += 1
    return list(prompts.values())
