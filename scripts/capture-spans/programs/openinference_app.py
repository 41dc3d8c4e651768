"""OpenInference's instrumentation of the openai package: a chat, a streamed one, a tool call, an embedding, an error."""

import json

import common
from openai import OpenAI
from openinference.instrumentation import using_attributes
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry import trace

provider = common.provider("openinference-app")
OpenAIInstrumentor().instrument(tracer_provider=provider)
client = OpenAI(base_url=common.model_url, api_key="stub", max_retries=0)

tool = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}
question = {"role": "user", "content": "How is the weather in Paris?"}

with using_attributes(session_id="session-1", user_id="user-1", metadata={"plan": "free"}, tags=["a", "b"]):
    with trace.get_tracer("app", tracer_provider=provider).start_as_current_span("answer a question") as span:
        span.set_attribute("openinference.span.kind", "CHAIN")
        span.set_attribute("input.value", json.dumps({"question": "How is the weather?"}))
        span.set_attribute("input.mime_type", "application/json")
        messages = [{"role": "system", "content": "Be brief."}, question]
        first = client.chat.completions.create(model="stub-model", messages=messages, tools=[tool], temperature=0.5)
        call = first.choices[0].message
        answer = {"role": "tool", "tool_call_id": call.tool_calls[0].id, "content": "sunny"}
        client.chat.completions.create(model="stub-model", messages=[*messages, call, answer], tools=[tool])
        span.set_attribute("output.value", "sunny")

stream = client.chat.completions.create(
    model="stub-model", messages=[question], stream=True, stream_options={"include_usage": True}
)
list(stream)
client.embeddings.create(model="stub-embed", input=["one", "two"], encoding_format="float")
try:
    OpenAI(base_url="http://127.0.0.1:9/v1", api_key="stub", max_retries=0).chat.completions.create(
        model="stub-model", messages=[question]
    )
except Exception:
    pass
provider.shutdown()
