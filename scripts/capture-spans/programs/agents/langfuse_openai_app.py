"""Langfuse's SDK with its wrapper of the openai package."""

import json
import os

import common

os.environ.update(LANGFUSE_PUBLIC_KEY="pk-lf-stub", LANGFUSE_SECRET_KEY="sk-lf-stub", LANGFUSE_BASE_URL=common.otlp_url)

from langfuse import Langfuse, observe, propagate_attributes  # noqa: E402 - it reads its variables when imported
from langfuse.openai import OpenAI  # noqa: E402
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: E402

langfuse = Langfuse(span_exporter=OTLPSpanExporter(endpoint=f"{common.otlp_url}/v1/traces"))
client = OpenAI(base_url=common.model_url, api_key="stub", max_retries=0)
functions = {name: observe(function, as_type="tool") for name, function in common.functions.items()}
tools = [common.tool_schema(function) for function in common.functions.values()]


def call_tool(call) -> str:
    try:
        return functions[call.function.name](**json.loads(call.function.arguments))
    except ValueError as error:
        return f"error: {error}"


@observe(as_type="agent")
def answer(question: str) -> str:
    messages = [{"role": "system", "content": common.instructions}, {"role": "user", "content": question}]
    while True:
        message = client.chat.completions.create(model=common.model, messages=messages, tools=tools).choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": call_tool(call)})


@observe(as_type="agent")
def answer_streaming(question: str) -> None:
    messages = [{"role": "system", "content": common.instructions}, {"role": "user", "content": question}]
    options = {"stream": True, "stream_options": {"include_usage": True}}
    for _ in client.chat.completions.create(model=common.model, messages=messages, **options):
        pass


with propagate_attributes(session_id="thread-1", user_id="user-1"):
    answer(common.question)
    answer_streaming(common.next_question)
langfuse.shutdown()
