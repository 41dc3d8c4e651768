"""OpenTelemetry's own instrumentation of the openai package; where content goes is told by variables."""

import json

import common
from openai import OpenAI
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

provider = common.provider("openai-v2-app")
logs = LoggerProvider(resource=Resource({"service.name": "openai-v2-app"}))
logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(endpoint=f"{common.otlp_url}/v1/logs")))
set_logger_provider(logs)
OpenAIInstrumentor().instrument(tracer_provider=provider, logger_provider=logs)
client = OpenAI(base_url=common.model_url, api_key="stub", max_retries=0)
tracer = provider.get_tracer("app")
tools = [common.tool_schema(function) for function in common.functions.values()]

with tracer.start_as_current_span("answer", attributes=common.who):
    messages = [{"role": "system", "content": common.instructions}, {"role": "user", "content": common.question}]
    while True:
        message = client.chat.completions.create(model=common.model, messages=messages, tools=tools).choices[0].message
        if not message.tool_calls:
            break
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            result = common.call_tool(tracer, call.function.name, json.loads(call.function.arguments), call.id)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

with tracer.start_as_current_span("answer", attributes=common.who):
    messages = [{"role": "system", "content": common.instructions}, {"role": "user", "content": common.next_question}]
    stream = client.chat.completions.create(
        model=common.model, messages=messages, stream=True, stream_options={"include_usage": True}
    )
    for _ in stream:
        pass
provider.shutdown()
logs.shutdown()
