"""Chats through LiteLLM: whole and streamed, choices, logprobs, schemas, tools, stops, seeds and errors."""

import json
import os
import sys
from typing import Literal

import litellm
import openai
from pydantic import BaseModel

litellm.suppress_debug_info = True  # else each error is followed by an invitation to report it

project, spaces = sys.argv[1:]
bias = {token: -100 for token in spaces.split(",")}
asked = {
    "model": "openai/heddle/tiny",
    "messages": [{"role": "user", "content": "Hi"}],
    "temperature": 0,
    "max_tokens": 8,
    "api_base": os.environ["WANDB_BASE_URL"] + "/v1",
    "api_key": os.environ["WANDB_API_KEY"],
    "extra_headers": {"X-Heddle-Project": project},
    "max_retries": 0,
}


def complete(**more):
    return litellm.completion(**{**asked, **more})


def text_of(response):
    return response.choices[0].message.content


whole = complete()
chunks = list(complete(stream=True, stream_options={"include_usage": True}))
streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
assert streamed == text_of(whole), (streamed, whole)
rebuilt = litellm.stream_chunk_builder(chunks)
assert (text_of(rebuilt), rebuilt.usage.total_tokens) == (streamed, whole.usage.total_tokens), rebuilt

several = complete(n=3, temperature=1, seed=7)
assert [choice.index for choice in several.choices] == [0, 1, 2]
assert text_of(complete(temperature=1, seed=8)) == several.choices[1].message.content

entries = complete(logprobs=True, top_logprobs=2).choices[0].logprobs.content
assert len(entries) == whole.usage.completion_tokens
assert all(len(entry.top_logprobs) == 2 and entry.logprob <= 0 for entry in entries)


class Colour(BaseModel):
    name: Literal["red", "blue"]


held = complete(response_format=Colour, max_tokens=60, logit_bias=bias)
Colour.model_validate_json(text_of(held))

city = {"type": "object", "properties": {"city": {"enum": ["Paris"]}}, "required": ["city"]}
weather = {"type": "function", "function": {"name": "weather", "parameters": city}}
calling = {"tools": [weather], "tool_choice": "required", "parallel_tool_calls": False, "max_tokens": 120}
called = complete(**calling, logit_bias=bias)
call_chunks = list(complete(**calling, logit_bias=bias, stream=True))
for response in [called, litellm.stream_chunk_builder(call_chunks)]:
    [choice] = response.choices
    [call] = choice.message.tool_calls
    assert choice.finish_reason == "tool_calls"
    assert (call.function.name, json.loads(call.function.arguments)) == ("weather", {"city": "Paris"})
told = [
    *asked["messages"],
    called.choices[0].message,
    {"role": "tool", "tool_call_id": called.choices[0].message.tool_calls[0].id, "content": "sunny"},
]
assert complete(messages=told, tools=[weather], tool_choice="none").usage.prompt_tokens > whole.usage.prompt_tokens

stopped = complete(stop=[text_of(whole)[2:4]])
assert (stopped.choices[0].finish_reason, text_of(stopped)) == ("stop", text_of(whole)[:2]), stopped

errors = {}
for name, more in {
    "400": {"n": 0},
    "401": {"api_key": "wrong"},
    "404": {"model": "openai/nope"},
    "422": {"extra_body": {"temperature": "abc"}},
    "length": {"max_tokens": 100_000},
}.items():
    try:
        complete(**more)
    except openai.APIStatusError as error:  # LiteLLM's own are of these classes too
        errors[name] = [type(error).__name__, error.status_code]

print(json.dumps({"text": streamed, "errors": errors}))
