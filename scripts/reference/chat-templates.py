"""Writes what transformers makes of chats, for heddle's tests.

    python scripts/reference/chat-templates.py small           the templates of src/chat/testing/templates/
    python scripts/reference/chat-templates.py full ASSETS     the real ones that scripts/reference/fetch-text-assets.ts fetched

Needs `transformers`, `jinja2` and, for the GGUF file, `gguf`.
"""

import json
import sys
from datetime import datetime
from pathlib import Path

from transformers.utils import chat_template_utils



class FixedClock(datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2030, 1, 9, 15, 4, 5)


chat_template_utils.datetime = FixedClock

HERE = Path(__file__).resolve().parents[2] / "src/chat/testing"
CHATS = json.loads((HERE / "chats.json").read_text())


def small():
    return {path.stem: (path.read_text(), TOKENS) for path in sorted((HERE / "templates").glob("*.jinja"))}


TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}


def full(assets):
    templates = {}
    for path in sorted(assets.glob("*/package/models/tokenizer_config.json")):
        config = json.loads(path.read_text())
        if not config.get("chat_template"):
            continue
        tokens = {key: config[key] for key in config if key.endswith("_token") and config[key]}
        tokens = {key: value if isinstance(value, str) else value["content"] for key, value in tokens.items()
                  if isinstance(value, str) or isinstance(value, dict)}
        templates[path.parents[2].name] = (config["chat_template"], tokens)
    from gguf import GGUFReader

    reader = GGUFReader(next(assets.rglob("SmolLM2-135M-Instruct.Q4_1.gguf")))
    field = reader.fields["tokenizer.chat_template"]
    templates["smollm2"] = (bytes(field.parts[field.data[0]]).decode(), {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>"})
    return templates


def render(template, tokens, chat):
    options = chat.get("options", {})
    try:
        texts, _ = chat_template_utils.render_jinja_template(
            conversations=[chat["messages"]],
            tools=chat.get("tools"),
            documents=chat.get("documents"),
            chat_template=template,
            continue_final_message=options.get("continue_final_message", False),
            add_generation_prompt=options.get("add_generation_prompt", True),
            **tokens,
            **chat.get("kwargs", {}),
        )
        return {"text": texts[0]}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:120]}


def main():
    kind = sys.argv[1]
    templates = small() if kind == "small" else full(Path(sys.argv[2]))
    result = {name: {"tokens": tokens, "chats": [render(template, tokens, chat) for chat in CHATS]}
              for name, (template, tokens) in templates.items()}
    out = HERE / f"templates.{kind}.json"
    out.write_text(json.dumps(result, indent=1) + "\n")
    for name, value in result.items():
        print(name, ["text" in chat for chat in value["chats"]])


main()
