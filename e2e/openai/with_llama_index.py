"""Completions through LlamaIndex's OpenAILike, whose default is /v1/completions: whole, streamed, with logprobs."""

import json
import os
import sys

from llama_index.llms.openai_like import OpenAILike

[project] = sys.argv[1:]
model = OpenAILike(
    model="heddle/tiny",
    api_base=os.environ["WANDB_BASE_URL"] + "/v1",
    api_key=os.environ["WANDB_API_KEY"],
    default_headers={"X-Heddle-Project": project},
    context_window=1024,
    temperature=0,
    max_tokens=8,
    max_retries=0,
)
whole = model.complete("The sky is")
pieces = list(model.stream_complete("The sky is"))
assert "".join(piece.delta for piece in pieces) == whole.text == pieces[-1].text
print(json.dumps({"text": whole.text}))
