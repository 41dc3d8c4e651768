"""DSPy, instrumented by OpenInference, which also instruments LiteLLM below it: every request has two spans."""

import common
import dspy
from openinference.instrumentation import using_attributes
from openinference.instrumentation.dspy import DSPyInstrumentor
from openinference.instrumentation.litellm import LiteLLMInstrumentor

provider = common.provider("dspy-app")
DSPyInstrumentor().instrument(tracer_provider=provider)
LiteLLMInstrumentor().instrument(tracer_provider=provider)
dspy.configure(lm=dspy.LM(f"openai/{common.model}", api_base=common.model_url, api_key="stub", cache=False, engine="litellm"))
agent = dspy.ReAct("question -> answer", tools=[common.weather, common.forecast])
with using_attributes(session_id="thread-1", user_id="user-1"):
    agent(question=common.question)
    dspy.Predict("question -> answer")(question=common.next_question)
provider.shutdown()
