"""Publishes an evaluation, and lets the server run it: with a judge and with rules. Scores calls that were traced before."""

import importlib.util
import json
import sys
import time
from pathlib import Path

import weave
from weave.flow.llm_structured_model import LLMStructuredCompletionModel

# Importing the package weave.scorers needs numpy and more, which this class does not.
path = Path(weave.__file__).parent / "scorers" / "llm_as_a_judge_scorer.py"
spec = importlib.util.spec_from_file_location("judge", path)
judge_module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(judge_module)
LLMAsAJudgeScorer = judge_module.LLMAsAJudgeScorer

project, rows = sys.argv[1], int(sys.argv[2])
client = weave.init(project)


class RuleScorer(weave.Scorer):
    """Applied by the server."""

    rule: str
    pattern: str | None = None
    ignore_case: bool = False


prompt = weave.MessagesPrompt([{"role": "user", "content": "Is {output} an answer to {question}?"}])
weave.publish(prompt, "judge-prompt")
small = {"temperature": 0, "max_tokens": 3}
judge = LLMAsAJudgeScorer(
    name="judge",
    model=LLMStructuredCompletionModel(llm_model_id="heddle/tiny", default_params=small),
    scoring_prompt=prompt,
)
plain_judge = LLMAsAJudgeScorer(
    name="plain-judge",
    model=LLMStructuredCompletionModel(llm_model_id="heddle/tiny", default_params=small),
    scoring_prompt="Is {output} the same as {expected}?",
)
contains = RuleScorer(name="contains", rule="contains", ignore_case=True)
pattern = RuleScorer(name="has-letters", rule="regex", pattern="[a-z]")
dataset = weave.Dataset(
    name="quiz",
    rows=[{"question": f"What is {i} + 1?", "expected": str(i + 1)} for i in range(rows)],
)
model = LLMStructuredCompletionModel(
    name="tiny",
    llm_model_id="heddle/tiny",
    default_params={"messages_template": [{"role": "user", "content": "{question}"}], "temperature": 0, "max_tokens": 4},
)


@weave.op
def answer(question: str, expected: str) -> str:
    return f"It is {expected}."


_, traced = answer.call("What is 1 + 1?", "2")
evaluation = weave.Evaluation(dataset=dataset, scorers=[judge, plain_judge, contains, pattern])
refs = {"evaluation_ref": weave.publish(evaluation).uri, "model_ref": weave.publish(model).uri}
scorer = weave.publish(contains).uri
client.flush()

call_id = client.server.evaluate_model({"project_id": project, **refs}).call_id
client.server.calls_score({"project_id": project, "call_ids": [traced.id], "scorer_refs": [scorer]})

seen = []
while len(sys.argv) == 3:
    status = client.server.evaluation_status({"project_id": project, "call_id": call_id}).status
    seen.append(status.model_dump())
    if status.code in ("complete", "failed"):
        break
    time.sleep(0.1)

print(json.dumps({"id": call_id, "seen": seen, "traced": traced.id, "scorer": scorer}))
