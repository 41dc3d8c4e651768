"""MLflow's tracing with its export to OTLP: decorated functions and its integration with the openai package."""

import os

import common

os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = f"{common.otlp_url}/v1/traces"
os.environ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] = "http/protobuf"
os.environ["OTEL_SERVICE_NAME"] = "mlflow-app"

import mlflow
from mlflow.entities import SpanType
from openai import OpenAI

mlflow.openai.autolog()
client = OpenAI(base_url=common.model_url, api_key="stub", max_retries=0)


@mlflow.trace(span_type=SpanType.TOOL)
def weather(city: str) -> str:
    return f"sunny in {city}"


@mlflow.trace(name="answer", span_type=SpanType.CHAIN)
def answer(question: str) -> str:
    mlflow.update_current_trace(metadata={"mlflow.trace.session": "session-1", "mlflow.trace.user": "user-1"})
    weather("Paris")
    completion = client.chat.completions.create(
        model="stub-model", messages=[{"role": "user", "content": question}], temperature=0.5
    )
    return completion.choices[0].message.content


answer("How is the weather in Paris?")
mlflow.flush_trace_async_logging()
