"""Writes what the Rust tokenizers make of awkward texts, for heddle's tests.

    python scripts/reference/awkward-texts.py small           uses the small tokenizers of src/chat/testing/tokenizers/
    python scripts/reference/awkward-texts.py full ASSETS     uses the tokenizers that scripts/reference/fetch-text-assets.ts fetched
    python scripts/reference/awkward-texts.py train           trains the small tokenizers anew: others than before, since which of
                                                              equally frequent characters are learnt changes from run to run

Needs `tokenizers` and, for the GGUF file, `gguf`.
"""

import json
import random
import sys
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = Path(__file__).resolve().parents[2] / "src/chat/testing"
TEXTS = json.loads((HERE / "awkward-texts.json").read_text())

CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|" + REST
QWEN2 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|" + REST


def byte_level(steps, normalizer=None, bos=None, ignore_merges=False):
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    tokenizer.add_tokens([AddedToken("<think>", normalized=False), AddedToken("</think>", normalized=False)])
    if bos:
        tokenizer.post_processor = processors.TemplateProcessing(single=f"{bos} $A", special_tokens=[(bos, 0)])
    return tokenizer


def sentencepiece(metaspace):
    alphabet = sorted({c for text in TEXTS for c in text if ord(c) < 0x250 and c != " "})
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if metaspace:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
        tokenizer.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
    else:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        tokenizer.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        special_tokens=["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)],
        initial_alphabet=alphabet,
        limit_alphabet=120,
        max_token_length=8,
        show_progress=False,
    )
    words = [" " + word for text in TEXTS for word in text.split()]
    tokenizer.train_from_iterator(words, trainer)
    # The byte tokens are ordinary tokens in real files.
    raw = json.loads(tokenizer.to_str())
    raw["added_tokens"] = [token for token in raw["added_tokens"] if token["id"] < 3]
    tokenizer = Tokenizer.from_str(json.dumps(raw))
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
LAST = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


def train():
    tokenizers = {
        "smollm": byte_level(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
        ),
        "llama3": byte_level(
            [pre_tokenizers.Split(Regex(LLAMA3), "isolated"), LAST], bos="<|endoftext|>", ignore_merges=True
        ),
        "qwen2": byte_level([pre_tokenizers.Split(Regex(QWEN2), "isolated"), LAST], normalizer=normalizers.NFC()),
        "sentencepiece": sentencepiece(metaspace=False),
        "metaspace": sentencepiece(metaspace=True),
    }
    for name, tokenizer in tokenizers.items():
        raw = json.loads(tokenizer.to_str())
        (HERE / "tokenizers" / f"{name}.json").write_text(json.dumps(raw, ensure_ascii=False) + "\n")


def small():
    paths = [HERE / "tokenizers" / f"{name}.json" for name in ("smollm", "llama3", "qwen2", "sentencepiece", "metaspace")]
    return {path.stem: Tokenizer.from_file(str(path)) for path in paths}


def smollm2(assets):
    from gguf import GGUFReader

    reader = GGUFReader(next(assets.rglob("SmolLM2-135M-Instruct.Q4_1.gguf")))
    strings = lambda name: [bytes(reader.fields[name].parts[i]).decode() for i in reader.fields[name].data]
    tokens = strings("tokenizer.ggml.tokens")
    types = [int(reader.fields["tokenizer.ggml.token_type"].parts[i][0]) for i in reader.fields["tokenizer.ggml.token_type"].data]
    merges = [tuple(merge.split(" ")) for merge in strings("tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([token for token, kind in zip(tokens, types) if kind == 3])
    return tokenizer


def full(assets):
    found = {path.parents[2].name: path for path in assets.glob("*/package/models/tokenizer.json")}
    tokenizers = {name: Tokenizer.from_file(str(path)) for name, path in sorted(found.items())}
    return {"smollm2": smollm2(assets), **tokenizers}


def expected(tokenizer):
    cases = []
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        cases.append({
            "ids": ids,
            "idsWithSpecial": tokenizer.encode(text, add_special_tokens=True).ids,
            "decoded": tokenizer.decode(ids, skip_special_tokens=False),
            "decodedWithoutSpecial": tokenizer.decode(ids, skip_special_tokens=True),
        })
    return cases


def random_ids(tokenizer):
    """Ids that no text gives: broken characters and special tokens in the middle of them."""
    source = random.Random(7)
    size = tokenizer.get_vocab_size()
    lists = [[source.randrange(size) for _ in range(12)] for _ in range(20)]
    return [{"ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=False)} for ids in lists]


def main():
    kind = sys.argv[1]
    if kind == "train":
        return train()
    tokenizers = small() if kind == "small" else full(Path(sys.argv[2]))
    result = {name: {"texts": expected(t), "ids": random_ids(t)} for name, t in tokenizers.items()}
    out = HERE / f"tokenizers.{kind}.json"
    out.write_text(json.dumps(result, ensure_ascii=True, separators=(",", ":")) + "\n")
    print(out, {name: t.get_vocab_size() for name, t in tokenizers.items()})


main()
