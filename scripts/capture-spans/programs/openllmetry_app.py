"""OpenLLMetry: a workflow, a task and a tool of Traceloop's SDK around chats of the openai package."""

import common
from openai import OpenAI
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import task, tool, workflow

Traceloop.init(app_name="openllmetry-app", api_endpoint=common.otlp_url, disable_batch=True, telemetry_enabled=False)
client = OpenAI(base_url=common.model_url, api_key="stub", max_retries=0)
tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]


@tool(name="weather")
def weather(city: str) -> str:
    return f"sunny in {city}"


@task(name="ask")
def ask(question: str) -> str:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]
    client.chat.completions.create(model="stub-model", messages=messages, tools=tools, temperature=0.5, max_tokens=50)
    weather("Paris")
    return client.chat.completions.create(model="stub-model", messages=messages).choices[0].message.content


@workflow(name="answer")
def answer(question: str) -> str:
    Traceloop.set_association_properties({"user_id": "user-1", "session_id": "session-1"})
    return ask(question)


answer("How is the weather in Paris?")
