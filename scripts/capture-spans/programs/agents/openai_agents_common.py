"""What both programs of OpenAI's Agents SDK run, each under its own tracer."""

import asyncio
from contextlib import AbstractContextManager, nullcontext

import common
from agents import Agent, RunConfig, Runner, function_tool, set_default_openai_client, set_trace_processors
from openai import AsyncOpenAI

set_trace_processors([])  # which would send to OpenAI
set_default_openai_client(AsyncOpenAI(base_url=common.model_url, api_key="stub"), use_for_tracing=False)


async def ask(around_next: AbstractContextManager) -> None:
    agent = Agent(
        name="Weather Agent",
        model=common.model,
        instructions=common.instructions,
        tools=[function_tool(common.weather), function_tool(common.forecast)],
    )
    config = RunConfig(workflow_name="Weather", group_id="thread-1", trace_metadata={"user_id": "user-1"})
    await Runner.run(agent, common.question, run_config=config)
    with around_next:
        async for _ in Runner.run_streamed(agent, common.next_question, run_config=config).stream_events():
            pass


def run(around_next: AbstractContextManager | None = None) -> None:
    """Asks both questions; the second, which is streamed, inside of a context."""
    asyncio.run(ask(around_next or nullcontext()))
