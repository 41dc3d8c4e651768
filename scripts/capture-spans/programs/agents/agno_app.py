"""Agno, instrumented by OpenInference."""

import common
from agno.agent import Agent
from agno.models.openai import OpenAIChat
from openinference.instrumentation.agno import AgnoInstrumentor

provider = common.provider("agno-app")
AgnoInstrumentor().instrument(tracer_provider=provider)
agent = Agent(
    name="Weather Agent",
    model=OpenAIChat(id=common.model, base_url=common.model_url, api_key="stub"),
    instructions=common.instructions,
    tools=[common.weather, common.forecast],
    session_id="thread-1",
    user_id="user-1",
    telemetry=False,
)
agent.run(common.question)
for _ in agent.run(common.next_question, stream=True):
    pass
provider.shutdown()
