"""smolagents, instrumented by OpenInference."""

import common
from openinference.instrumentation import using_attributes
from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

provider = common.provider("smolagents-app")
SmolagentsInstrumentor().instrument(tracer_provider=provider)
model = OpenAIServerModel(common.model, api_base=common.model_url, api_key="stub")
tools = [tool(common.weather), tool(common.forecast)]
with using_attributes(session_id="thread-1", user_id="user-1"):
    ToolCallingAgent(tools, model, instructions=common.instructions, verbosity_level=0).run(common.question)
    streaming = ToolCallingAgent(tools, model, instructions=common.instructions, verbosity_level=0, stream_outputs=True)
    for _ in streaming.run(common.next_question, stream=True):
        pass
provider.shutdown()
