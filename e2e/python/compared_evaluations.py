"""Two models over the same dataset of two versions, with scores that differ, an example that fails, and a leaderboard."""

import asyncio
import json
import sys

import weave
from weave.trace.builtin_object_classes.leaderboard import Leaderboard, LeaderboardColumn

client = weave.init(sys.argv[1])


class Adder(weave.Model):
    offset: int

    @weave.op
    def predict(self, a: int, b: int) -> dict:
        if a == 7 and self.offset:
            raise ValueError("7 is not supported")
        return {"sum": a + b + (self.offset if a % 3 == 0 else 0), "steps": [f"{a} + {b}"]}


@weave.op
def exact(output: dict, expected: int) -> bool:
    return output["sum"] == expected


@weave.op
def closeness(output: dict, expected: int) -> dict:
    distance = abs(output["sum"] - expected)
    return {"distance": distance, "close": distance < 2, "note": "<b>far</b>" if distance > 1 else "near"}


rows = [{"question": f"What is {a} + {2 * a}?", "a": a, "b": 2 * a, "expected": 3 * a} for a in range(24)]
dataset = weave.Dataset(name="additions", rows=rows[:20])
weave.publish(dataset)
dataset = weave.Dataset(name="additions", rows=rows, description="Sums of small numbers")
weave.publish(dataset)

evaluation = weave.Evaluation(name="addition-quiz", dataset=dataset, scorers=[exact, closeness])
careful, hasty = Adder(name="careful-adder", offset=0), Adder(name="hasty-adder", offset=2)
summaries = [asyncio.run(evaluation.evaluate(model)) for model in (careful, hasty)]
client.flush()
assert summaries[1]["exact"] == {"true_count": 15, "true_fraction": 15 / 24}, summaries

ref = weave.publish(evaluation).uri
columns = [
    LeaderboardColumn(evaluation_object_ref=ref, scorer_name="exact", summary_metric_path="true_fraction"),
    LeaderboardColumn(
        evaluation_object_ref=ref,
        scorer_name="closeness",
        summary_metric_path="distance.mean",
        should_minimize=True,
    ),
]
board = weave.publish(Leaderboard(name="adders", description="Who adds best", columns=columns))
latest = weave.publish(dataset)
runs = list(client.get_calls(filter={"op_names": [f"weave:///{sys.argv[1]}/op/Evaluation.evaluate:*"]}))
found = {"runs": [run.id for run in runs], "dataset": latest.uri, "leaderboard": board.uri}
print(json.dumps({**found, "summaries": summaries}))
