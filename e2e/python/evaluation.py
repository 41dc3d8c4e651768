"""An evaluation of a model and one of a plain op, with scorers that are ops and classes."""

import asyncio
import json
import sys

import weave
from weave.flow.leaderboard import get_leaderboard_results
from weave.trace.builtin_object_classes.leaderboard import Leaderboard, LeaderboardColumn

client = weave.init(sys.argv[1])


class Adder(weave.Model):
    offset: int

    @weave.op
    def predict(self, a: int) -> int:
        return a + self.offset


@weave.op
def exact(output: int, expected: int) -> bool:
    return output == expected


class Distance(weave.Scorer):
    @weave.op
    def score(self, output: int, expected: int) -> dict:
        return {"distance": abs(output - expected)}


dataset = weave.Dataset(name="sums", rows=[{"a": 1, "expected": 2}, {"a": 2, "expected": 4}])
evaluation = weave.Evaluation(name="sums-evaluation", dataset=dataset, scorers=[exact, Distance()], trials=2)
summary = asyncio.run(evaluation.evaluate(Adder(name="adder", offset=1)))
client.flush()

assert summary["exact"] == {"true_count": 2, "true_fraction": 0.5}, summary
assert summary["Distance"] == {"distance": {"mean": 0.5}}, summary

roots = list(client.get_calls(filter={"op_names": [f"weave:///{sys.argv[1]}/op/Evaluation.evaluate:*"]}))
assert len(roots) == 1 and roots[0].output["exact"]["true_count"] == 2

column = {"evaluation_object_ref": weave.publish(evaluation).uri, "summary_metric_path": "true_fraction"}
board = Leaderboard(name="board", columns=[LeaderboardColumn(scorer_name="exact", **column)])
weave.publish(board)
[row] = get_leaderboard_results(board, client)
assert [each.value for each in row.column_scores[0].scores] == [0.5], row

print(json.dumps({"root": roots[0].id, "trace": roots[0].trace_id}))
