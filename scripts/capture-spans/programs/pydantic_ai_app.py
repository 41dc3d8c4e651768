"""Pydantic AI's own instrumentation, in the form it has by default and in older ones."""

import inspect
import os

import common
from pydantic_ai import Agent
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = common.provider("pydantic-ai-app")
version = os.environ.get("PYDANTIC_AI_VERSION")
settings = {"version": int(version)} if version else {}
model = OpenAIChatModel("stub-model", provider=OpenAIProvider(base_url=common.model_url, api_key="stub"))
instrumentation = InstrumentationSettings(tracer_provider=provider, **settings)
if "instrument" in inspect.signature(Agent.__init__).parameters:
    traced = {"instrument": instrumentation}
else:
    from pydantic_ai.capabilities import Instrumentation

    traced = {"capabilities": [Instrumentation(settings=instrumentation)]}
agent = Agent(model, name="weather agent", instructions="Be brief.", **traced)


@agent.tool_plain
def weather(city: str) -> str:
    return f"sunny in {city}"


agent.run_sync("How is the weather in Paris?")
provider.shutdown()
