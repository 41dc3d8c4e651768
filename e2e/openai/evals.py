"""Evals through the official SDK: create, run on rows and on a file, poll, read, update, cancel and delete."""

import json
import os
import sys
import time

import openai

(project,) = sys.argv[1:]
client = openai.OpenAI(
    base_url=os.environ["WANDB_BASE_URL"] + "/v1",
    api_key=os.environ["WANDB_API_KEY"],
    default_headers={"X-Heddle-Project": project},
    max_retries=0,
)

check = {
    "type": "string_check",
    "name": "not empty",
    "operation": "ne",
    "input": "{{ sample.output_text }}",
    "reference": "{{ item.unwanted }}",
}
similar = {
    "type": "text_similarity",
    "name": "similar",
    "evaluation_metric": "rouge_l",
    "input": "{{ sample.output_text }}",
    "reference": "{{ item.question }}",
    "pass_threshold": 1.0,
}
schema = {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}
created = client.evals.create(
    name="questions",
    data_source_config={"type": "custom", "item_schema": schema, "include_sample_schema": True},
    testing_criteria=[check, similar],
    metadata={"owner": "tests"},
)
assert client.evals.retrieve(created.id).to_dict() == created.to_dict()
assert client.evals.update(created.id, name="renamed").name == "renamed"
assert [each.id for each in client.evals.list(limit=1)] == [created.id]

rows = [{"item": {"question": text, "unwanted": ""}} for text in ("Who?", "Where?", "When?")]
sampled = {
    "type": "completions",
    "model": "heddle/tiny",
    "input_messages": {"type": "template", "template": [{"role": "user", "content": "{{ item.question }}"}]},
    "sampling_params": {"temperature": 0, "max_completion_tokens": 6, "seed": 1},
}


def ended(run):
    for _ in range(300):
        run = client.evals.runs.retrieve(run.id, eval_id=created.id)
        if run.status not in ("queued", "in_progress"):
            return run
        time.sleep(0.05)
    raise AssertionError(run)


source = {"type": "file_content", "content": rows}
run = ended(client.evals.runs.create(created.id, name="first", data_source={**sampled, "source": source}))
assert run.status == "completed", run
assert run.result_counts.model_dump() == {"total": 3, "passed": 0, "failed": 3, "errored": 0}
assert [(each.passed, each.failed) for each in run.per_testing_criteria_results] == [(3, 0), (0, 3)]
usage = run.per_model_usage[0]
assert (usage.run_model_name, usage.invocation_count, usage.completion_tokens) == ("heddle/tiny", 3, 18)

# The client reads one page after the other.
items = list(client.evals.runs.output_items.list(run.id, eval_id=created.id, limit=2))
assert [item.datasource_item["question"] for item in items] == ["Who?", "Where?", "When?"]
assert all(item.sample.output[0].content and item.sample.usage.completion_tokens == 6 for item in items)
assert [result.passed for result in items[0].results] == [True, False]
one = client.evals.runs.output_items.retrieve(items[1].id, eval_id=created.id, run_id=run.id)
assert one.to_dict() == items[1].to_dict()
assert not list(client.evals.runs.output_items.list(run.id, eval_id=created.id, status="pass"))

lines = "\n".join(json.dumps(row) for row in rows).encode()
file = client.files.create(file=("rows.jsonl", lines), purpose="evals")
of_file = {**sampled, "source": {"type": "file_id", "id": file.id}}
again = ended(client.evals.runs.create(created.id, data_source=of_file))
assert again.result_counts == run.result_counts

grader = {**check, "input": "{{ sample.output_text }}", "reference": "{{ item.unwanted }}"}
graded = client.fine_tuning.alpha.graders.run(grader=grader, model_sample="x", item={"unwanted": "x"})
assert graded.reward == 0 and graded.metadata.type == "string_check"

codes = {}
try:
    client.evals.runs.create(created.id, data_source={"type": "jsonl", "source": {"type": "file_content", "content": [{"item": {}}]}})
except openai.BadRequestError as error:
    codes["schema"] = [error.status_code, error.param, error.type]
try:
    client.evals.retrieve("eval_none")
except openai.NotFoundError as error:
    codes["missing"] = [error.status_code, error.param, error.type]

assert client.evals.runs.cancel(run.id, eval_id=created.id).status == "completed"
assert client.evals.runs.delete(again.id, eval_id=created.id).deleted
assert [each.id for each in client.evals.runs.list(created.id)] == [run.id]
print(json.dumps({"call": run.report_url.rsplit("/", 1)[1], "codes": codes}))
