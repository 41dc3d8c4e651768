"""What the agent programs share: addresses, a tracer provider that exports there, and the two tools."""

import os

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

model_url = os.environ["MODEL_URL"]
otlp_url = os.environ["OTLP_URL"]
os.environ.setdefault("OPENAI_API_KEY", "stub")
os.environ.setdefault("ANTHROPIC_API_KEY", "stub")

model = "gpt-4o-mini"
instructions = "You tell the weather. Be brief."
question = "How is the weather in Paris?"
next_question = "And how will it be tomorrow?"


def processor() -> BatchSpanProcessor:
    return BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{otlp_url}/v1/traces"))


def provider(service: str) -> TracerProvider:
    made = TracerProvider(resource=Resource({"service.name": service}))
    made.add_span_processor(processor())
    return made


def weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: The name of the city.
    """
    return f"sunny in {city}"


def forecast(city: str) -> str:
    """The forecast for a city.

    Args:
        city: The name of the city.
    """
    raise ValueError(f"no forecast for {city}")


def tool_schema(function) -> dict:
    """The tool as OpenAI's chat API takes it."""
    parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    return {"type": "function", "function": {"name": function.__name__, "parameters": parameters}}


functions = {"weather": weather, "forecast": forecast}
who = {"session.id": "thread-1", "user.id": "user-1"}


def call_tool(tracer, name: str, arguments: dict, call_id: str) -> str:
    """Calls a tool in a span of OpenTelemetry's conventions, for libraries that leave tools to the program."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.id": call_id, **who}
    try:
        with tracer.start_as_current_span(f"execute_tool {name}", attributes=attributes):
            return functions[name](**arguments)
    except ValueError as error:
        return f"error: {error}"
