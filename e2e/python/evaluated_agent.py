"""Evaluations of an agent, which sends spans from inside its predictions."""

import asyncio
import json
import sys

import weave
from opentelemetry import trace

client = weave.init(sys.argv[1])
tracer = trace.get_tracer("e2e")


def answer(question: str) -> tuple[str, str]:
    with tracer.start_as_current_span("invoke_agent helper") as agent, tracer.start_as_current_span("chat toy-1"):
        return question.upper(), format(agent.get_span_context().span_id, "016x")


@weave.op
def model(question: str) -> dict:
    text, span = answer(question)
    return {"text": text, "span": span}


@weave.op
def exact(output: dict, expected: str) -> bool:
    return output["text"] == expected


rows = [{"question": "a", "expected": "A"}, {"question": "b", "expected": "C"}]
evaluation = weave.Evaluation(dataset=rows, scorers=[exact])
asyncio.run(evaluation.evaluate(model))
client.flush()
[scores] = evaluation.get_scores().values()
assert sorted(scores["exact"]) == [False, True], scores

log = weave.EvaluationLogger(name="by hand", model="agent", dataset="questions")
with log.log_prediction(inputs={"question": "a"}) as prediction:
    text, span = answer("a")
    prediction.output = {"text": text, "span": span}
log.log_summary()

client.flush()
assert trace.get_tracer_provider().force_flush()
calls = client.get_calls(filter={"op_names": [f"weave:///{sys.argv[1]}/op/Evaluation.evaluate:*"]})
print(json.dumps({"roots": [call.id for call in calls]}))
