"""The conversation SDK of weave: turns of an agent, sent as spans through the exporter that weave.init installs."""

import json
import sys

import weave
from opentelemetry import trace

weave.init(sys.argv[1])

with weave.start_conversation(agent_name="helper") as conversation:
    with weave.start_turn(user_message="what is 2 + 2?") as turn:
        with weave.start_llm(model="toy-1", provider_name="toys") as llm:
            llm.output("calling a tool")
        with weave.start_tool(name="add", arguments='{"a": 2, "b": 2}') as tool:
            tool.result = "4"
assert trace.get_tracer_provider().force_flush()
print(json.dumps({"conversation": conversation.conversation_id}))
