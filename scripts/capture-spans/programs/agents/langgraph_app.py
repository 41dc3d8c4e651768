"""LangGraph, instrumented by OpenInference."""

import common
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import ToolNode, create_react_agent
from openinference.instrumentation import using_attributes
from openinference.instrumentation.langchain import LangChainInstrumentor

provider = common.provider("langgraph-app")
LangChainInstrumentor().instrument(tracer_provider=provider)
model = ChatOpenAI(model=common.model, base_url=common.model_url, api_key="stub", stream_usage=True)
tools = ToolNode([tool(common.weather), tool(common.forecast)], handle_tool_errors=True)
agent = create_react_agent(model, tools, prompt=common.instructions, name="weather_agent")
config = {"configurable": {"thread_id": "thread-1"}, "metadata": {"user_id": "user-1"}}
agent.invoke({"messages": [("user", common.question)]}, config)
with using_attributes(session_id="thread-1", user_id="user-1"):
    for _ in agent.stream({"messages": [("user", common.next_question)]}, config, stream_mode="messages"):
        pass
provider.shutdown()
