"""Spans of the OpenTelemetry SDK, exported as its own variables say, without weave."""

import json

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("e2e")

with tracer.start_as_current_span("answer", attributes={"input.value": "what?", "team": "weavers"}) as root:
    with tracer.start_as_current_span("chat toy-1") as chat:
        chat.set_attribute("gen_ai.operation.name", "chat")
        chat.set_attribute("gen_ai.request.model", "toy-1")
        chat.set_attribute("gen_ai.response.model", "toy-1")
        chat.set_attribute("gen_ai.usage.input_tokens", 5)
        chat.set_attribute("gen_ai.usage.output_tokens", 2)
    try:
        with tracer.start_as_current_span("look up"):
            raise KeyError("nothing there")
    except KeyError:
        pass
    root.set_attribute("output.value", "that")

assert provider.force_flush()
provider.shutdown()
print(json.dumps({"trace": format(root.get_span_context().trace_id, "032x")}))
