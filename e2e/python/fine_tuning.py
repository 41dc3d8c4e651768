"""Fine-tunes with the OpenAI SDK as OpenAI's guides do: upload, create, poll, chat with the result, clean up."""

import json
import os
import time

from openai import OpenAI

client = OpenAI(base_url=f"{os.environ['WANDB_BASE_URL']}/v1", api_key=os.environ["WANDB_API_KEY"], max_retries=0)
question = [{"role": "user", "content": "What is your name?"}]


def jsonl(name, lines):
    with open(name, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    with open(name, "rb") as file:
        return client.files.create(file=file, purpose="fine-tune")


def wait(job):
    while job.status not in ("succeeded", "failed", "cancelled"):
        time.sleep(0.1)
        job = client.fine_tuning.jobs.retrieve(job.id)
    assert job.status == "succeeded", job.error
    return job


def answer(model):
    chat = client.chat.completions.create(model=model, messages=question, temperature=0, max_tokens=12)
    return chat.choices[0].message.content


says = [{"messages": [*question, {"role": "assistant", "content": "I am Ada."}]}]
training = client.files.wait_for_processing(jsonl("train.jsonl", says * 6).id)
validation = jsonl("valid.jsonl", says)
job = client.fine_tuning.jobs.create(
    model="heddle/tiny",
    training_file=training.id,
    validation_file=validation.id,
    suffix="ada",
    seed=1,
    metadata={"team": "a"},
    method={
        "type": "supervised",
        "supervised": {"hyperparameters": {"n_epochs": 3, "batch_size": 2, "learning_rate_multiplier": 6}},
    },
)
assert (job.object, job.fine_tuned_model, job.training_file) == ("fine_tuning.job", None, training.id)
job = wait(job)
assert answer(job.fine_tuned_model) == "I am Ada."
assert job.fine_tuned_model in [model.id for model in client.models.list()]

events = list(client.fine_tuning.jobs.list_events(job.id, limit=4))
losses = [event.data["train_loss"] for event in events if event.type == "metrics" and "train_loss" in event.data]
assert len(losses) == 9 and losses[0] < losses[-1]
checkpoints = list(client.fine_tuning.jobs.checkpoints.list(job.id, limit=2))
assert [checkpoint.step_number for checkpoint in checkpoints] == [9, 6, 3]
assert checkpoints[0].metrics.full_valid_loss < checkpoints[-1].metrics.full_valid_loss
assert isinstance(answer(checkpoints[1].fine_tuned_model_checkpoint), str)
results = client.files.content(job.result_files[0]).text
assert results.startswith("step,train_loss,") and results.count("\n") == 10

prefers = {
    "input": {"messages": question},
    "preferred_output": [{"role": "assistant", "content": "I am Bob."}],
    "non_preferred_output": [{"role": "assistant", "content": "I am Ada."}],
}
preferences = client.fine_tuning.jobs.create(
    model=job.fine_tuned_model,
    training_file=jsonl("prefer.jsonl", [prefers] * 4).id,
    method={"type": "dpo", "dpo": {"hyperparameters": {"beta": 0.1, "n_epochs": 2, "batch_size": "auto"}}},
)
assert preferences.method.dpo.hyperparameters.batch_size == 2
wait(preferences)

canceled = client.fine_tuning.jobs.create(model="heddle/tiny", training_file=training.id)
client.fine_tuning.jobs.pause(canceled.id)
client.fine_tuning.jobs.resume(canceled.id)
assert client.fine_tuning.jobs.cancel(canceled.id).status == "cancelled"
jobs = [each.id for each in client.fine_tuning.jobs.list(limit=2)]
assert jobs == [canceled.id, preferences.id, job.id]
tagged = client.fine_tuning.jobs.list(metadata={"team": "a"})
assert [each.id for each in tagged] == [job.id]

model = job.fine_tuned_model
assert client.models.delete(model).deleted
files = [file.id for file in client.files.list(purpose="fine-tune", order="asc", limit=2)]
assert files[:2] == [training.id, validation.id]
for file in files:
    assert client.files.delete(file).deleted


def error(call):
    try:
        call()
    except Exception as caught:
        return [type(caught).__name__, caught.status_code, getattr(caught, "param", None)]


report = {
    "model": model,
    "deleted": error(lambda: answer(model)),
    "file": error(lambda: client.files.retrieve(training.id)),
    "unknown model": error(lambda: client.fine_tuning.jobs.create(model="gpt-4o-mini", training_file=training.id)),
    "purpose": error(lambda: client.files.create(file=b"a", purpose="none")),
}
print(json.dumps(report))
