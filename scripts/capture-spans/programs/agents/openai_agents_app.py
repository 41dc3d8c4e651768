"""OpenAI's Agents SDK, instrumented by OpenInference."""

import common
import openai_agents_common
from openinference.instrumentation import using_attributes
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

provider = common.provider("openai-agents-app")
OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
openai_agents_common.run(using_attributes(session_id="thread-1", user_id="user-1"))
provider.shutdown()
