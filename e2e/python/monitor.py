"""Activates a monitor, then traces calls of two ops."""

import json
import sys

import weave

project = sys.argv[1]
client = weave.init(project)


class RuleScorer(weave.Scorer):
    """Applied by the server."""

    rule: str


@weave.op
def answer(question: str, expected: str) -> str:
    return f"It is {expected}."


@weave.op
def other(expected: str) -> str:
    return expected


scorer = RuleScorer(name="contains", rule="contains")
query = {"$expr": {"$contains": {"input": {"$getField": "inputs.question"}, "substr": {"$literal": "1 + 1"}}}}
monitor = weave.Monitor(name="watch", sampling_rate=1, scorers=[scorer], op_names=["answer"], query=query)
monitor.activate()
client.flush()
_, watched = answer.call("What is 1 + 1?", "2")
answer("What is 1 + 2?", "3")
other("2")
client.flush()
print(json.dumps({"watched": watched.id}))
