"""Completions and responses through the official SDK: whole and streamed, tools, formats, conversations, errors."""

import json
import os
import sys
import time
from typing import Literal

import openai
from pydantic import BaseModel

project, spaces = sys.argv[1:]
client = openai.OpenAI(
    base_url=os.environ["WANDB_BASE_URL"] + "/v1",
    api_key=os.environ["WANDB_API_KEY"],
    default_headers={"X-Heddle-Project": project},
    max_retries=0,
)
model = "heddle/tiny"
bias = {"logit_bias": {token: -100 for token in spaces.split(",")}}

# Completions.
asked = {"model": model, "prompt": "The sky is", "max_tokens": 6, "temperature": 0}
whole = client.completions.create(**asked, logprobs=2)
chunks = list(client.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
assert "".join(chunk.choices[0].text for chunk in chunks if chunk.choices) == whole.choices[0].text
assert chunks[-1].usage == whole.usage.model_copy(update={"prompt_tokens_details": chunks[-1].usage.prompt_tokens_details})
assert "".join(whole.choices[0].logprobs.tokens) == whole.choices[0].text
several = client.completions.create(**{**asked, "prompt": ["One", [5, 6]], "temperature": 1}, n=2, seed=1, echo=True)
assert [choice.index for choice in several.choices] == [0, 1, 2, 3]
assert several.choices[0].text.startswith("One")

# Embeddings, which the SDK requests as base64 by default.
vectors = [each.embedding for each in client.embeddings.create(model=model, input=["One", "Two"]).data]
floats = client.embeddings.create(model=model, input=["One", "Two"], encoding_format="float")
assert all(abs(a - b) < 1e-4 for pair in zip(vectors, floats.data) for a, b in zip(pair[0], pair[1].embedding))
mean = client.embeddings.create(model=model, input="One two", extra_body={"pooling": "mean"})
assert abs(sum(each * each for each in mean.data[0].embedding) - 1) < 1e-4

# Responses.
respond = {"model": model, "input": "Hi", "max_output_tokens": 8, "temperature": 0}
first = client.responses.create(**respond, instructions="Be brief", metadata={"part": "one"})
events = list(client.responses.create(**respond, instructions="Be brief", stream=True))
assert events[-1].response.output_text == first.output_text
assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == first.output_text
second = client.responses.create(**{**respond, "input": "And?"}, previous_response_id=first.id)
assert second.usage.input_tokens > first.usage.output_tokens
items = client.responses.input_items.list(second.id, order="asc")
assert [item.role for item in items] == ["user", "assistant", "user"]
assert client.responses.retrieve(first.id) == first
client.responses.delete(second.id)


class Colour(BaseModel):
    name: Literal["red", "blue"]


roomy = {**respond, "max_output_tokens": 120, "extra_body": bias}
assert client.responses.parse(**roomy, text_format=Colour).output_parsed.name in ("red", "blue")
with client.responses.stream(**roomy, text_format=Colour) as stream:
    assert stream.get_final_response().output_parsed.name in ("red", "blue")

city = {"type": "object", "properties": {"city": {"enum": ["Paris"]}}, "required": ["city"], "additionalProperties": False}
weather = {"type": "function", "name": "weather", "parameters": city, "strict": True}
calling = {**roomy, "tools": [weather], "tool_choice": "required", "parallel_tool_calls": False}
[call] = client.responses.create(**calling).output
with client.responses.stream(**calling) as stream:
    streamed = [event.delta for event in stream if event.type == "response.function_call_arguments.delta"]
    [again] = stream.get_final_response().output
assert json.loads(call.arguments) == json.loads("".join(streamed)) == json.loads(again.arguments) == {"city": "Paris"}
output = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
answer = client.responses.create(**{**respond, "input": [{"role": "user", "content": "Hi"}, call, output]}, tools=[weather])
assert answer.usage.input_tokens > first.usage.input_tokens

background = client.responses.create(**respond, background=True)
for _ in range(200):
    background = client.responses.retrieve(background.id)
    if background.status not in ("queued", "in_progress"):
        break
    time.sleep(0.05)
assert background.status == "incomplete", background
endless = client.responses.create(**{**respond, "max_output_tokens": 900}, background=True, extra_body={"ignore_eos": True})
assert client.responses.cancel(endless.id).status == "cancelled"

errors = {}
for name, send in {
    "deleted": lambda: client.responses.retrieve(second.id),
    "hosted": lambda: client.responses.create(**respond, tools=[{"type": "web_search"}]),
    "suffix": lambda: client.completions.create(**asked, suffix="."),
    "shape": lambda: client.completions.create(**{**asked, "temperature": "abc"}),
    "files": lambda: client.files.create(file=b"{}", purpose="holiday"),
    "job": lambda: client.fine_tuning.jobs.create(model=model, training_file="file-x", suffix=7),
    "response": lambda: client.responses.create(**{**respond, "max_output_tokens": "many"}),
    "embedding": lambda: client.embeddings.create(model=model, input={"a": 1}),
    "chat": lambda: client.chat.completions.create(model=model, messages=[{"role": "user", "content": 5}]),
    "batches": lambda: client.batches.list(),
    "speech": lambda: client.audio.speech.create(model=model, voice="alloy", input="Hi"),
    "moderation": lambda: client.moderations.create(input="Hi"),
    "stored": lambda: client.chat.completions.list(),
}.items():
    try:
        send()
    except openai.APIStatusError as error:
        errors[name] = [type(error).__name__, error.status_code, error.param]
        assert error.body["message"] and error.body["message"] in str(error), error

print(json.dumps({"completion": whole.choices[0].text, "response": first.output_text, "errors": errors}))
