"""Langfuse's SDK: observed functions, a generation with usage and cost, a session and a user."""

import os

import common

os.environ["LANGFUSE_BASE_URL"] = os.environ["LANGFUSE_HOST"] = common.otlp_url
os.environ["LANGFUSE_PUBLIC_KEY"] = "pk-lf-stub"
os.environ["LANGFUSE_SECRET_KEY"] = "sk-lf-stub"

from langfuse import get_client, observe, propagate_attributes

langfuse = get_client()


@observe(as_type="tool")
def weather(city: str) -> str:
    return f"sunny in {city}"


@observe()
def answer(question: str) -> str:
    with propagate_attributes(session_id="session-1", user_id="user-1", tags=["a"], metadata={"plan": "free"}):
        weather("Paris")
        with langfuse.start_as_current_observation(
            name="generate",
            as_type="generation",
            model="stub-model",
            model_parameters={"temperature": 0.5},
            input=[{"role": "user", "content": question}],
        ) as generation:
            generation.update(
                output={"role": "assistant", "content": "It is sunny in Paris."},
                usage_details={"input": 11, "output": 7, "total": 18, "cache_read_input_tokens": 3},
                cost_details={"total": 0.001},
            )
    return "It is sunny in Paris."


answer("How is the weather in Paris?")
langfuse.flush()
