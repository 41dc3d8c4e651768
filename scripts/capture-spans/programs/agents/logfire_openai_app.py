"""Logfire's instrumentation of the openai package: chat, streamed chat, responses."""

import json

import common
import logfire
from openai import OpenAI

logfire.configure(
    service_name="logfire-openai-app",
    send_to_logfire=False,
    scrubbing=False,
    console=False,
    additional_span_processors=[common.processor()],
)
client = OpenAI(base_url=common.model_url, api_key="stub", max_retries=0)
logfire.instrument_openai(client)
functions = {"weather": common.weather, "forecast": common.forecast}
tools = [common.tool_schema(function) for function in functions.values()]
who = {"session.id": "thread-1", "user.id": "user-1"}


def call_tool(call) -> str:
    name = call.function.name
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, **who}
    try:
        with logfire.span(f"execute_tool {name}", **attributes):
            return functions[name](**json.loads(call.function.arguments))
    except ValueError as error:
        return f"error: {error}"


with logfire.span("answer {question=}", question=common.question, **who):
    messages = [{"role": "system", "content": common.instructions}, {"role": "user", "content": common.question}]
    while True:
        message = client.chat.completions.create(model=common.model, messages=messages, tools=tools).choices[0].message
        if not message.tool_calls:
            break
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": call_tool(call)})

with logfire.span("answer {question=}", question=common.next_question, **who):
    messages = [{"role": "system", "content": common.instructions}, {"role": "user", "content": common.next_question}]
    stream = client.chat.completions.create(
        model=common.model, messages=messages, stream=True, stream_options={"include_usage": True}
    )
    for _ in stream:
        pass
    client.responses.create(model=common.model, instructions=common.instructions, input=common.next_question)
logfire.shutdown()
