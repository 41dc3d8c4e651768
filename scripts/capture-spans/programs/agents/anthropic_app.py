"""Anthropic's SDK, instrumented by OpenInference, OpenLLMetry or Logfire, as TRACER says."""

import os

import common
from anthropic import Anthropic

tracer_name = os.environ["TRACER"]
service = {"openinference": "anthropic-app"}.get(tracer_name, f"anthropic-{tracer_name}-app")
if tracer_name == "logfire":
    import logfire
    from opentelemetry import trace

    logfire.configure(
        service_name=service, send_to_logfire=False, scrubbing=False, console=False, additional_span_processors=[common.processor()]
    )
    logfire.instrument_anthropic()
    tracer, shutdown = trace.get_tracer("app"), logfire.shutdown
else:
    if tracer_name == "openinference":
        from openinference.instrumentation.anthropic import AnthropicInstrumentor
    else:
        from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor
    provider = common.provider(service)
    AnthropicInstrumentor().instrument(tracer_provider=provider)
    tracer, shutdown = provider.get_tracer("app"), provider.shutdown

client = Anthropic(base_url=common.model_url.removesuffix("/v1"), api_key="stub", max_retries=0)
functions = {"weather": common.weather, "forecast": common.forecast}
schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tools = [{"name": name, "description": function.__doc__, "input_schema": schema} for name, function in functions.items()]
who = {"session.id": "thread-1", "user.id": "user-1"}
request = {"model": "claude-sonnet-4-5", "max_tokens": 500, "system": common.instructions}


def call_tool(block) -> dict:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": block.name, **who}
    result = {"type": "tool_result", "tool_use_id": block.id}
    try:
        with tracer.start_as_current_span(f"execute_tool {block.name}", attributes=attributes):
            return {**result, "content": functions[block.name](**block.input)}
    except ValueError as error:
        return {**result, "content": str(error), "is_error": True}


with tracer.start_as_current_span("answer", attributes=who):
    messages = [{"role": "user", "content": common.question}]
    while True:
        message = client.messages.create(**request, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]})
        if message.stop_reason != "tool_use":
            break
        messages.append({"role": "user", "content": [call_tool(block) for block in message.content]})

with tracer.start_as_current_span("answer", attributes=who):
    messages = [{"role": "user", "content": common.next_question}]
    for _ in client.messages.create(**request, messages=messages, stream=True):
        pass
shutdown()
