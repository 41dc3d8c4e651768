"""What the programs of this folder share: the addresses they are given, and a tracer provider that exports there."""

import os

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

model_url = os.environ["MODEL_URL"]
otlp_url = os.environ["OTLP_URL"]


def provider(service: str) -> TracerProvider:
    made = TracerProvider(resource=Resource({"service.name": service}))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{otlp_url}/v1/traces")))
    return made
