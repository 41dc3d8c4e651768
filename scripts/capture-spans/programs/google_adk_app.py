"""Google's Agent Development Kit: an agent with a tool, its model a class of our own that asks nobody."""

import asyncio

import common
from opentelemetry import trace

provider = common.provider("google-adk-app")
trace.set_tracer_provider(provider)

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types


class StubModel(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        last = llm_request.contents[-1].parts[-1]
        if last.function_response:
            part = types.Part(text="It is sunny in Paris.")
        else:
            part = types.Part(function_call=types.FunctionCall(name="weather", args={"city": "Paris"}))
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=11, candidates_token_count=7, total_token_count=18, cached_content_token_count=3
        )
        content = types.Content(role="model", parts=[part])
        yield LlmResponse(content=content, usage_metadata=usage, finish_reason=types.FinishReason.STOP)


def weather(city: str) -> dict:
    """The weather of a city."""
    return {"weather": f"sunny in {city}"}


async def main() -> None:
    agent = LlmAgent(name="weather_agent", model=StubModel(model="stub-model"), instruction="Be brief.", tools=[weather])
    runner = InMemoryRunner(agent=agent, app_name="weather_app")
    session = await runner.session_service.create_session(app_name="weather_app", user_id="user-1", session_id="session-1")
    question = types.Content(role="user", parts=[types.Part(text="How is the weather in Paris?")])
    async for _ in runner.run_async(user_id="user-1", session_id=session.id, new_message=question):
        pass


asyncio.run(main())
provider.shutdown()
