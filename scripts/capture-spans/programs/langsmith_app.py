"""LangSmith's SDK with its export to OpenTelemetry: traceable functions around a wrapped openai client."""

import os

import common

os.environ["LANGSMITH_TRACING"] = "true"
os.environ["LANGSMITH_OTEL_ENABLED"] = "true"
os.environ["LANGSMITH_OTEL_ONLY"] = "true"
os.environ["LANGSMITH_API_KEY"] = "stub"
os.environ["LANGSMITH_ENDPOINT"] = common.otlp_url
os.environ["LANGSMITH_PROJECT"] = "langsmith-app"

from langsmith import Client, traceable
from langsmith.wrappers import wrap_openai
from openai import OpenAI
from opentelemetry import trace

provider = common.provider("langsmith-app")
trace.set_tracer_provider(provider)
smith = Client()
client = wrap_openai(OpenAI(base_url=common.model_url, api_key="stub", max_retries=0))


@traceable(run_type="tool", client=smith)
def weather(city: str) -> str:
    return f"sunny in {city}"


@traceable(name="answer", client=smith, metadata={"session_id": "session-1", "user_id": "user-1"}, tags=["a"])
def answer(question: str) -> str:
    weather("Paris")
    messages = [{"role": "user", "content": question}]
    return client.chat.completions.create(model="stub-model", messages=messages, temperature=0.5).choices[0].message.content


answer("How is the weather in Paris?")
smith.flush()
provider.shutdown()
