"""LlamaIndex, instrumented by OpenInference."""

import asyncio

import common
from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from openinference.instrumentation import using_attributes
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

provider = common.provider("llamaindex-app")
LlamaIndexInstrumentor().instrument(tracer_provider=provider)
llm = OpenAILike(
    model=common.model,
    api_base=common.model_url,
    api_key="stub",
    is_chat_model=True,
    is_function_calling_model=True,
    additional_kwargs={"stream_options": {"include_usage": True}},
)


def agent(streaming: bool) -> FunctionAgent:
    return FunctionAgent(
        name="Weather Agent",
        llm=llm if streaming else OpenAILike(**{**llm.model_dump(), "additional_kwargs": {}}),
        system_prompt=common.instructions,
        tools=[common.weather, common.forecast],
        streaming=streaming,
    )


async def main() -> None:
    with using_attributes(session_id="thread-1", user_id="user-1"):
        await agent(streaming=False).run(common.question)
        handler = agent(streaming=True).run(common.next_question)
        async for _ in handler.stream_events():
            pass
        await handler


asyncio.run(main())
provider.shutdown()
