"""OpenAI's Agents SDK, instrumented by OpenInference."""

import asyncio

import common
from agents import Agent, RunConfig, Runner, function_tool, set_default_openai_client, set_trace_processors
from openai import AsyncOpenAI
from openinference.instrumentation import using_attributes
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

set_trace_processors([])
provider = common.provider("openai-agents-app")
OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
set_default_openai_client(AsyncOpenAI(base_url=common.model_url, api_key="stub"), use_for_tracing=False)
agent = Agent(
    name="Weather Agent",
    model=common.model,
    instructions=common.instructions,
    tools=[function_tool(common.weather), function_tool(common.forecast)],
)


async def main() -> None:
    config = RunConfig(workflow_name="Weather", group_id="thread-1", trace_metadata={"user_id": "user-1"})
    await Runner.run(agent, common.question, run_config=config)
    with using_attributes(session_id="thread-1", user_id="user-1"):
        async for _ in Runner.run_streamed(agent, common.next_question, run_config=config).stream_events():
            pass


asyncio.run(main())
provider.shutdown()
