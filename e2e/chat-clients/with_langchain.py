"""Chats through LangChain's OpenAI client: whole and streamed, choices, logprobs, schemas, tools, stops, seeds, errors."""

import json
import os
import sys
from typing import Literal

import openai
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

project, spaces = sys.argv[1:]
asked = {
    "model": "heddle/tiny",
    "base_url": os.environ["WANDB_BASE_URL"] + "/v1",
    "api_key": os.environ["WANDB_API_KEY"],
    "default_headers": {"X-Heddle-Project": project},
    "temperature": 0,
    "max_tokens": 8,
    "max_retries": 0,
}
model = ChatOpenAI(**asked)
messages = [HumanMessage("Hi")]

whole = model.invoke(messages)
assert whole.response_metadata["finish_reason"] == "length", whole
chunks = list(ChatOpenAI(**asked, stream_usage=True).stream(messages))
joined = sum(chunks[1:], chunks[0])
assert joined.content == whole.content, (joined, whole)
assert joined.usage_metadata["total_tokens"] == whole.usage_metadata["total_tokens"], (joined, whole)

several = ChatOpenAI(**{**asked, "temperature": 1}, n=3, seed=7).generate([messages]).generations[0]
assert len(several) == 3
assert ChatOpenAI(**{**asked, "temperature": 1}, seed=8).invoke(messages).content == several[1].text

told = model.bind(logprobs=True, top_logprobs=2)
entries = told.invoke(messages).response_metadata["logprobs"]["content"]
assert len(entries) == whole.usage_metadata["output_tokens"]
assert all(len(entry["top_logprobs"]) == 2 for entry in entries)
streamed = list(told.stream(messages))
assert sum(streamed[1:], streamed[0]).response_metadata["logprobs"]["content"] == entries

roomy = ChatOpenAI(**{**asked, "max_tokens": 120}, logit_bias={int(token): -100 for token in spaces.split(",")})


class Colour(BaseModel):
    """A colour."""

    name: Literal["red", "blue"]


for method in ["json_schema", "function_calling"]:
    held = roomy.with_structured_output(Colour, method=method)
    assert held.invoke(messages).name in ("red", "blue"), method
assert isinstance(list(roomy.with_structured_output(Colour).stream(messages))[-1], Colour)


@tool
def weather(city: Literal["Paris"]) -> str:
    """Tells the weather."""
    return f"{city} is sunny"


caller = roomy.bind_tools([weather], tool_choice="required", parallel_tool_calls=False)
called = caller.invoke(messages)
pieces = list(caller.stream(messages))
for message in [called, sum(pieces[1:], pieces[0])]:
    assert message.response_metadata["finish_reason"] == "tool_calls"
    [call] = message.tool_calls
    assert (call["name"], call["args"]) == ("weather", {"city": "Paris"})
answered = weather.invoke(called.tool_calls[0])
assert isinstance(answered, ToolMessage)
after = model.bind_tools([weather], tool_choice="none").invoke([*messages, called, answered])
assert after.usage_metadata["input_tokens"] > whole.usage_metadata["input_tokens"]

stopped = model.invoke(messages, stop=[whole.content[2:4]])
assert (stopped.response_metadata["finish_reason"], stopped.content) == ("stop", whole.content[:2])

errors = {}
for name, more in {
    "400": {"temperature": -1},
    "401": {"api_key": "wrong"},
    "404": {"model": "nope"},
    "422": {"extra_body": {"top_p": "abc"}},
}.items():
    try:
        ChatOpenAI(**{**asked, **more}).invoke(messages)
    except openai.APIStatusError as error:
        errors[name] = [type(error).__name__, error.status_code]

print(json.dumps({"text": whole.content, "errors": errors}))
