"""Everything that TensorZero's own client does with a gateway, against heddle: only the address and the key are heddle's."""

import asyncio
import json
import os
import sys

from openai import OpenAI
from tensorzero import AsyncTensorZeroGateway, TensorZeroError, TensorZeroGateway

url, key = os.environ["GATEWAY_URL"], os.environ["TENSORZERO_API_KEY"]
few = {"chat_completion": {"max_tokens": 4}}
hello = {"messages": [{"role": "user", "content": "Hello"}]}
draft = {
    "system": {"style": "plain"},
    "messages": [{"role": "user", "content": [{"type": "template", "name": "user", "arguments": {"topic": "rain"}}]}],
}
report = {}


def failure(call):
    try:
        call()
    except TensorZeroError as error:
        return [error.status_code, json.loads(error.text)["error"]]
    raise AssertionError("no error")


def whole(response):
    return {
        "inference_id": str(response.inference_id),
        "episode_id": str(response.episode_id),
        "variant_name": response.variant_name,
        "output_tokens": response.usage.output_tokens,
        "finish_reason": response.finish_reason.value,
    }


with TensorZeroGateway.build_http(gateway_url=url) as gateway:
    # Chat functions, whole and streamed
    first = gateway.inference(function_name="draft", input=draft, params=few, tags={"user": "u1"})
    report["chat"] = {**whole(first), "blocks": [block.type for block in first.content]}
    chunks = list(
        gateway.inference(function_name="draft", input=draft, params=few, stream=True, episode_id=first.episode_id)
    )
    report["streamed"] = {
        "ids": len({str(chunk.inference_id) for chunk in chunks}),
        "inference_id": str(chunks[0].inference_id),
        "episode_id": str(chunks[0].episode_id),
        "text": "".join(block.text for chunk in chunks for block in chunk.content),
        "output_tokens": chunks[-1].usage.output_tokens,
        "finish_reason": chunks[-1].finish_reason.value,
    }

    # Feedback at once after the answer
    good = gateway.feedback(metric_name="good", value=True, inference_id=chunks[0].inference_id, tags={"by": "Ada"})
    score = gateway.feedback(metric_name="score", value=0.5, episode_id=first.episode_id)
    gateway.feedback(metric_name="comment", value="too short", inference_id=first.inference_id)
    gateway.feedback(metric_name="demonstration", value="It rains.", inference_id=first.inference_id)
    gateway.feedback(metric_name="good", value=False, inference_id=first.inference_id, dryrun=True)
    report["feedback"] = [str(good.feedback_id), str(score.feedback_id)]

    # A variant, a dry run, and a model
    pinned = gateway.inference(function_name="draft", input=draft, params=few, variant_name="brief")
    report["pinned"] = whole(pinned)
    dry = gateway.inference(function_name="draft", input=draft, params=few, dryrun=True)
    report["dry"] = whole(dry)
    report["model"] = whole(gateway.inference(model_name="heddle/tiny", input=hello, params=few))

    # JSON functions
    limited = {"chat_completion": {"max_tokens": 60, "temperature": 0}}
    answer = gateway.inference(function_name="extract", input=hello, params=limited)
    report["json"] = {"raw": answer.output.raw, "parsed": answer.output.parsed}
    schema = {"type": "object", "properties": {"yes": {"enum": ["a"]}}, "required": ["yes"], "additionalProperties": False}
    chosen = gateway.inference(function_name="extract", input=hello, params=limited, output_schema=schema)
    report["json by schema"] = chosen.output.parsed
    parts = list(gateway.inference(function_name="extract", input=hello, params=limited, output_schema=schema, stream=True))
    report["json streamed"] = json.loads("".join(part.raw for part in parts))

    # Tools
    called = gateway.inference(function_name="weather", input=hello, params=limited, tool_choice="required")
    (call,) = called.content
    report["tool"] = {"name": call.name, "arguments": call.arguments, "finish_reason": called.finish_reason.value}
    result = {"type": "tool_result", "name": call.raw_name, "id": call.id, "result": "21"}
    history = [*hello["messages"], {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    turn = gateway.inference(
        function_name="weather", input={"messages": history}, params=few, tool_choice="none", episode_id=called.episode_id
    )
    report["after tool"] = whole(turn)
    own = {"name": "own", "description": "", "strict": False, "parameters": {"type": "object", "properties": {}}}
    (own_call,) = gateway.inference(
        function_name="draft",
        input=draft,
        params=limited,
        additional_tools=[own],
        allowed_tools=[],
        tool_choice={"specific": "own"},
    ).content
    report["own tool"] = own_call.name

    # Errors
    report["errors"] = {
        "function": failure(lambda: gateway.inference(function_name="none", input=hello)),
        "variant": failure(lambda: gateway.inference(function_name="draft", input=draft, variant_name="none")),
        "schema": failure(lambda: gateway.inference(function_name="draft", input={**draft, "system": {}})),
        "stream": failure(lambda: list(gateway.inference(function_name="none", input=hello, stream=True))),
        "metric": failure(lambda: gateway.feedback(metric_name="none", value=1, inference_id=first.inference_id)),
        "value": failure(lambda: gateway.feedback(metric_name="good", value=1, inference_id=first.inference_id)),
        "extra": failure(
            lambda: gateway.inference(
                function_name="draft", input=draft, extra_headers=[{"name": "x", "value": "y", "variant_name": "plain"}]
            )
        ),
    }

os.environ.pop("TENSORZERO_API_KEY")
with TensorZeroGateway.build_http(gateway_url=url, api_key="wrong") as stranger:
    report["errors"]["key"] = failure(lambda: stranger.inference(function_name="draft", input=draft))


async def asynchronously():
    async with await AsyncTensorZeroGateway.build_http(gateway_url=url, api_key=key) as gateway:
        answer = await gateway.inference(function_name="draft", input=draft, params=few)
        stream = await gateway.inference(
            function_name="draft", input=draft, params=few, stream=True, episode_id=answer.episode_id
        )
        chunks = [chunk async for chunk in stream]
        feedback = await gateway.feedback(metric_name="score", value=1, episode_id=answer.episode_id)
        return {
            "output_tokens": [answer.usage.output_tokens, chunks[-1].usage.output_tokens],
            "feedback": str(feedback.feedback_id),
        }


report["async"] = asyncio.run(asynchronously())

# OpenAI's client, at the path of TensorZero and at heddle's own
model = "tensorzero::function_name::draft"
messages = [
    {"role": "system", "content": [{"type": "text", "tensorzero::arguments": {"style": "plain"}}]},
    {"role": "user", "content": [{"type": "text", "tensorzero::arguments": {"topic": "rain"}}]},
]
project = url.split("/tensorzero/")[1]
places = {
    "tensorzero": OpenAI(base_url=f"{url}/openai/v1", api_key=key),
    "heddle": OpenAI(
        base_url=f"{url.split('/tensorzero/')[0]}/v1", api_key=key, default_headers={"X-Heddle-Project": project}
    ),
}
for place, client in places.items():
    more = {"tensorzero::variant_name": "brief", "tensorzero::episode_id": str(first.episode_id)}
    completion = client.chat.completions.create(model=model, messages=messages, max_tokens=4, extra_body=more)
    stream = client.chat.completions.create(model=model, messages=messages, max_tokens=4, stream=True)
    report[f"openai at {place}"] = {
        "model": completion.model,
        "episode_id": completion.episode_id,
        "tokens": completion.usage.completion_tokens,
        "streamed": {chunk.model for chunk in stream} == {f"{model}::variant_name::plain"},
    }

print(json.dumps(report))
