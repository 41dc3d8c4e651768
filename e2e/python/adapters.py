"""Chats with an adapter through the official SDK, beside its base model, and reads both in the list of models."""

import json
import os
import sys

import openai
import requests

folder = sys.argv[1]
base = os.environ["WANDB_BASE_URL"] + "/v1"
key = os.environ["WANDB_API_KEY"]
client = openai.OpenAI(base_url=base, api_key=key, max_retries=0)


def post(path, **body):
    answer = requests.post(f"{base}/{path}", json=body, headers={"Authorization": f"Bearer {key}"})
    return [answer.status_code, answer.text]


def chat(model, **more):
    asked = {"messages": [{"role": "user", "content": "Tell me about the sea"}], "temperature": 0, "max_tokens": 16}
    return client.chat.completions.create(model=model, logprobs=True, **{**asked, **more})


def logprobs(answer):
    return [entry.logprob for entry in answer.choices[0].logprobs.content]


plain = chat("heddle/tiny")
loaded = post("load_lora_adapter", lora_name="tuned", lora_path=folder)
cards = {card.id: card for card in client.models.list()}
whole = chat("tuned")
assert whole.model == "tuned"
assert logprobs(whole) != logprobs(plain)
chunks = list(chat("tuned", stream=True))
streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
assert streamed == whole.choices[0].message.content
assert logprobs(chat("heddle/tiny")) == logprobs(plain)
again = post("load_lora_adapter", lora_name="tuned", lora_path=folder)
unloaded = post("unload_lora_adapter", lora_name="tuned")
missing = post("unload_lora_adapter", lora_name="tuned")
try:
    chat("tuned")
    error = None
except openai.NotFoundError as caught:
    error = [caught.status_code, caught.param]

report = {
    "loaded": loaded,
    "parent": cards["tuned"].model_extra["parent"],
    "root": cards["tuned"].model_extra["root"],
    "again": again[0],
    "unloaded": unloaded,
    "missing": missing[0],
    "error": error,
}
print(json.dumps(report))
