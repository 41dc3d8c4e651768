"""Strands, which traces itself."""

import common
from opentelemetry import trace
from strands import Agent, tool
from strands.models.openai import OpenAIModel

provider = common.provider("strands-app")
trace.set_tracer_provider(provider)
agent = Agent(
    name="Weather Agent",
    model=OpenAIModel(client_args={"base_url": common.model_url, "api_key": "stub"}, model_id=common.model),
    system_prompt=common.instructions,
    tools=[tool(common.weather), tool(common.forecast)],
    trace_attributes={"session.id": "thread-1", "user.id": "user-1"},
    callback_handler=None,
)
agent(common.question)
agent(common.next_question)
provider.shutdown()
