"""Chats with the official SDK: whole and streamed, choices, logprobs, schemas, tools, stops, seeds and errors."""

import json
import os
import sys

import openai

project = sys.argv[1]
base = os.environ["WANDB_BASE_URL"] + "/v1"
client = openai.OpenAI(
    base_url=base,
    api_key=os.environ["WANDB_API_KEY"],
    default_headers={"X-Heddle-Project": project},
    max_retries=0,
)
asked = {"model": "heddle/tiny", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0, "max_tokens": 8}


def create(**more):
    return client.chat.completions.create(**{**asked, **more})


whole = create()
chunks = list(create(stream=True, stream_options={"include_usage": True}))
streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
assert streamed == whole.choices[0].message.content, (streamed, whole)
assert chunks[-1].usage.total_tokens == whole.usage.total_tokens

several = create(n=3, temperature=1, seed=7)
assert [choice.index for choice in several.choices] == [0, 1, 2]
assert create(temperature=1, seed=8).choices[0].message.content == several.choices[1].message.content

entries = create(logprobs=True, top_logprobs=2).choices[0].logprobs.content
assert all(len(entry.top_logprobs) == 2 for entry in entries)
ids = create(extra_body={"return_token_ids": True})
assert len(ids.model_extra["prompt_token_ids"]) == ids.usage.prompt_tokens

schema = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"], "additionalProperties": False}
outputs = {"json": json.dumps(schema), "disable_any_whitespace": True}
held = create(max_tokens=60, extra_body={"structured_outputs": outputs})
assert json.loads(held.choices[0].message.content)["n"] in (1, 2)

city = {"type": "object", "properties": {"city": {"enum": ["Paris"]}}, "required": ["city"]}
tools = [{"type": "function", "function": {"name": "weather", "parameters": city}}]
bias = {str(token): -100 for token in range(1024) if token in set(map(int, sys.argv[2].split(",")))}
called = create(tools=tools, tool_choice="required", parallel_tool_calls=False, max_tokens=120, logit_bias=bias)
[call] = called.choices[0].message.tool_calls
assert (call.function.name, json.loads(call.function.arguments)) == ("weather", {"city": "Paris"})

stopped = create(stop=[whole.choices[0].message.content[2:4]])
assert stopped.choices[0].finish_reason == "stop"

errors = {}
for name, more in {
    "400": {"n": 0},
    "404": {"model": "nope"},
    "422": {"extra_body": {"temperature": "abc"}},
}.items():
    try:
        create(**more)
    except openai.APIStatusError as error:
        errors[name] = [type(error).__name__, error.status_code, error.param]
try:
    openai.OpenAI(base_url=base, api_key="wrong", max_retries=0).chat.completions.create(**asked)
except openai.APIStatusError as error:
    errors["401"] = [type(error).__name__, error.status_code, error.type]

print(json.dumps({"text": streamed, "errors": errors, "request_id": whole._request_id, "id": whole.id}))
