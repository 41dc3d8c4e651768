"""
Makes the model `heddle/tiny` and its tokenizer, from nothing but the conversations of corpus.py.

    python scripts/tiny-model/train.py [--minutes 25] [--out assets/tiny-model]

One CPU thread and one seed: the same machine makes the same weights when the number of steps is given (--steps).
Weights are kept in float32, so that an engine can be held against transformers without rounding in between.
"""

import argparse
import json
import math
import random
import time
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from corpus import conversation, held_out_prompts

HERE = Path(__file__).parent
TREE = HERE.parent.parent
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
VOCABULARY = 1024
CONTEXT = 1024
SEED = 1
BATCH_TOKENS = 2048
SIMPLE_BATCH_TOKENS = 1280
SIMPLE_SHARE = 0.5
MUON_PEAK = 0.02
ADAMW_PEAK = 4e-3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--steps", type=int, default=0, help="end after so many steps instead")
    parser.add_argument("--from", dest="begun", type=Path, help="go on from the weights of an earlier run")
    parser.add_argument("--rate", type=float, default=1, help="multiplies the learning rates: less than 1 to go on gently")
    parser.add_argument("--simple", type=float, default=SIMPLE_SHARE, help="share of the run that learns from simple questions alone")
    parser.add_argument("--seed", type=int, default=SEED, help="of the weights and of the conversations that are learned")
    parser.add_argument("--out", type=Path, default=TREE / "assets/tiny-model")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)

    tokenizer = make_tokenizer()
    check_rendering(tokenizer)
    model = LlamaForCausalLM.from_pretrained(arguments.begun) if arguments.begun else LlamaForCausalLM(architecture())
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters", flush=True)
    train(model, tokenizer, arguments)
    save(model, tokenizer, arguments.out)


def architecture():
    return LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=2,
        pad_token_id=0,
    )


def make_tokenizer():
    """Byte-level BPE. Digits stand alone, for sums; blanks stand apart from words, so that a word is the same anywhere."""
    rng = random.Random(SEED)
    tokenizer = Tokenizer(models.BPE())
    pieces = Regex(r"\p{N}|\p{L}+|\s+|[^\s\p{L}\p{N}]+")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(pieces, "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = ("".join(text for text, _ in render(*conversation(rng))) for _ in range(20_000))
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=SPECIAL[0],
        pad_token=SPECIAL[0],
        eos_token=SPECIAL[2],
        additional_special_tokens=[SPECIAL[1]],
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
        chat_template=(HERE / "chat_template.jinja").read_text(),
    )


def render(messages, tools):
    """What the chat template makes of a conversation, as (text, is an answer to learn) in turn."""
    parts = []
    system = messages[0]["content"] if messages[0]["role"] == "system" else ""
    if tools:
        listed = "".join(json.dumps(tool["function"], ensure_ascii=False) + "\n" for tool in tools)
        call = 'Call one with <tool_call>{"name": ..., "arguments": ...}</tool_call>'
        parts.append((f"<|im_start|>system\n{system}{chr(10) if system else ''}Tools:\n{listed}{call}<|im_end|>\n", False))
    elif system:
        parts.append((f"<|im_start|>system\n{system}<|im_end|>\n", False))
    for message in messages:
        if message["role"] == "assistant":
            parts.append(("<|im_start|>assistant\n", False))
            parts.append((said_by_assistant(message) + "<|im_end|>", True))
            parts.append(("\n", False))
        elif message["role"] == "tool":
            parts.append((f"<|im_start|>user\n<tool_response>{message['content']}</tool_response><|im_end|>\n", False))
        elif message["role"] == "user":
            parts.append((f"<|im_start|>user\n{message['content']}<|im_end|>\n", False))
    return parts


def said_by_assistant(message):
    calls = [call["function"] for call in message.get("tool_calls", [])]
    written = [f'<tool_call>{{"name": "{call["name"]}", "arguments": {json.dumps(call["arguments"])}}}</tool_call>' for call in calls]
    return (message["content"] or "") + "".join(written)


def check_rendering(tokenizer):
    rng = random.Random(SEED)
    for _ in range(500):
        messages, tools = conversation(rng)
        parts = render(messages, tools)
        text = "".join(text for text, _ in parts)
        assert tokenizer.apply_chat_template(messages, tools=tools, tokenize=False) == text, text
        assert sum((tokenizer.encode(part) for part, _ in parts), []) == tokenizer.encode(text), text
    for word in ["yes", "no", "maybe"]:
        assert len(tokenizer.encode(word)) == 1, f"{word} must be one token"


def train(model, tokenizer, arguments):
    # Muon for the matrices of the layers learns these tasks in far fewer steps than AdamW alone.
    matrices = [p for name, p in model.named_parameters() if p.dim() == 2 and "embed" not in name]
    others = [p for name, p in model.named_parameters() if p.dim() == 1 or "embed" in name]
    optimizers = [
        torch.optim.Muon(matrices, lr=MUON_PEAK, weight_decay=0.02),
        torch.optim.AdamW(others, lr=ADAMW_PEAK, betas=(0.9, 0.98), weight_decay=0.0),
    ]
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["peak"] = group["lr"]
    begun, average = time.time(), None
    done = 0.0
    for step, (inputs, labels) in enumerate(batches(tokenizer, arguments.seed, lambda: done < arguments.simple)):
        done = step / arguments.steps if arguments.steps else (time.time() - begun) / 60 / arguments.minutes
        if done >= 1:
            break
        schedule = min(1, (step + 1) / 100) * (0.02 + 0.98 * (0.5 + 0.5 * math.cos(math.pi * done)))
        for group in (group for optimizer in optimizers for group in optimizer.param_groups):
            group["lr"] = group["peak"] * schedule * arguments.rate
        hidden = model.model(inputs, use_cache=False).last_hidden_state[:, :-1]
        wanted = labels[:, 1:]
        learned = wanted >= 0
        loss = torch.nn.functional.cross_entropy(model.lm_head(hidden[learned]), wanted[learned])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        average = loss.item() if average is None else 0.98 * average + 0.02 * loss.item()
        if step % 100 == 0:
            save(model, tokenizer, arguments.out)
            print(f"{time.time() - begun:6.0f} s  step {step:5}  loss {average:.4f}", flush=True)


def batches(tokenizer, seed, is_simple):
    """Endless batches of fresh conversations of similar length, padded on the right. Labels are -100 where nothing is learned."""
    rng = random.Random(seed + 1)
    refused = {held["prompt"] for held in held_out_prompts()}
    while True:
        examples = [example for example in (tokenized(tokenizer, rng, refused, is_simple()) for _ in range(4_000)) if example]
        tokens_max = SIMPLE_BATCH_TOKENS if is_simple() else BATCH_TOKENS
        examples.sort(key=lambda example: len(example[0]) * rng.uniform(0.9, 1.1))
        made, current, longest = [], [], 0
        for example in examples:
            longest = max(longest, len(example[0]))
            if current and longest * (len(current) + 1) > tokens_max:
                made.append(current)
                current, longest = [], len(example[0])
            current.append(example)
        made.append(current)
        rng.shuffle(made)
        for batch in made:
            yield padded([ids for ids, _ in batch], 0), padded([labels for _, labels in batch], -100)


def tokenized(tokenizer, rng, refused, is_simple):
    messages, tools = conversation(rng, is_simple)
    asked = {message["content"] for message in messages if message["role"] == "user"}
    assert not asked & refused, f"held out, but in the training text: {asked & refused}"
    parts = render(messages, tools)
    ids, labels = [], []
    for (_, learned), encoding in zip(parts, tokenizer.backend_tokenizer.encode_batch([text for text, _ in parts])):
        ids += encoding.ids
        labels += encoding.ids if learned else [-100] * len(encoding.ids)
    return (ids, labels) if len(ids) <= CONTEXT else None


def padded(rows, filler):
    width = max(map(len, rows))
    return torch.tensor([row + [filler] * (width - len(row)) for row in rows])


def save(model, tokenizer, folder):
    folder.mkdir(parents=True, exist_ok=True)
    model.generation_config.update(do_sample=True, temperature=1.0, bos_token_id=0, eos_token_id=[2, 0], pad_token_id=0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder, save_jinja_files=False)
    name_for_older_readers(folder / "tokenizer_config.json")
    (folder / "model.safetensors").chmod(0o644)
    (folder / "held-out-prompts.json").write_text(json.dumps(held_out_prompts(), indent=1) + "\n")


def name_for_older_readers(path):
    """transformers 5 writes names that version 4, and servers built on it, refuse; it reads the older ones itself."""
    config = json.loads(path.read_text())
    config.pop("backend", None)
    config["tokenizer_class"] = "PreTrainedTokenizerFast"
    config["additional_special_tokens"] = config.pop("extra_special_tokens")
    path.write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
