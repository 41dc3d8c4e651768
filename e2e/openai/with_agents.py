"""An agent of openai-agents with its default model path, /v1/responses: a tool, a conversation, a stream, an output type."""

import asyncio
import json
import os
import sys
from typing import Literal

from agents import Agent, ModelSettings, RunConfig, Runner, function_tool, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel

project, spaces = sys.argv[1:]
set_tracing_disabled(True)
set_default_openai_client(
    AsyncOpenAI(
        base_url=os.environ["WANDB_BASE_URL"] + "/v1",
        api_key=os.environ["WANDB_API_KEY"],
        default_headers={"X-Heddle-Project": project},
        max_retries=0,
    )
)
bias = {"logit_bias": {token: -100 for token in spaces.split(",")}}
asked = []


@function_tool
def weather(city: Literal["Paris"]) -> str:
    """Tells the weather."""
    asked.append(city)
    return f"{city} is sunny"


class Colour(BaseModel):
    name: Literal["red", "blue"]


# The SDK splits a model's name at the slash, so the name is written without one.
settings = {"temperature": 0, "max_tokens": 120, "extra_body": bias}
caller = Agent(
    name="caller",
    instructions="Be brief",
    model="heddle-tiny",
    tools=[weather],
    model_settings=ModelSettings(**settings, tool_choice="required", parallel_tool_calls=False),
)
painter = Agent(
    name="painter", model="heddle-tiny", output_type=Colour, model_settings=ModelSettings(**settings)
)


async def main():
    called = await Runner.run(caller, "Hi", run_config=RunConfig(), max_turns=3)
    assert asked == ["Paris"], asked
    again = await Runner.run(caller, "And?", previous_response_id=called.last_response_id, max_turns=3)
    assert again.raw_responses[0].usage.input_tokens > called.raw_responses[0].usage.input_tokens
    streamed = Runner.run_streamed(caller, "Hi", max_turns=3)
    names = [event.name async for event in streamed.stream_events() if event.type == "run_item_stream_event"]
    assert names[:2] == ["tool_called", "tool_output"], names
    painted = await Runner.run(painter, "Hi")
    assert painted.final_output.name in ("red", "blue")
    print(json.dumps({"said": called.final_output, "streamed": streamed.final_output}))


asyncio.run(main())
