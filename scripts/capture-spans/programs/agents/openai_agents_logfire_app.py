"""OpenAI's Agents SDK, instrumented by Logfire."""

import asyncio

import common
import logfire
from agents import Agent, RunConfig, Runner, function_tool, set_default_openai_client, set_trace_processors
from openai import AsyncOpenAI

set_trace_processors([])  # which would send to OpenAI
logfire.configure(
    service_name="openai-agents-logfire-app",
    send_to_logfire=False,
    scrubbing=False,
    console=False,
    additional_span_processors=[common.processor()],
)
logfire.instrument_openai_agents()
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
    async for _ in Runner.run_streamed(agent, common.next_question, run_config=config).stream_events():
        pass


asyncio.run(main())
logfire.shutdown()
