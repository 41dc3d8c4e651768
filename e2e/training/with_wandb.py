"""OpenPipe ART with a W&B key in its environment: runs, metrics, provenance, checkpoints as artifacts, a fork, and SFT data as an artifact."""

import asyncio
import json
import os
import sys
import tempfile

import art
import wandb
from art.serverless.backend import ServerlessBackend

QUESTION = "Say yes, no or maybe."


async def rollout(client, name: str, place: int) -> art.Trajectory:
    messages = [{"role": "user", "content": QUESTION}]
    answer = await client.chat.completions.create(model=name, messages=messages, max_tokens=5)
    return art.Trajectory(messages_and_choices=[*messages, answer.choices[0]], reward=float(place % 2))


async def logprobs(client, name: str) -> list[float]:
    messages = [{"role": "user", "content": QUESTION}]
    answer = await client.chat.completions.create(model=name, messages=messages, max_tokens=4, temperature=0, logprobs=True)
    return [token.logprob for token in answer.choices[0].logprobs.content]


async def main(url: str, key: str, project: str) -> None:
    entity, name = project.split("/")
    backend = ServerlessBackend(api_key=key, base_url=url + "/v1")
    model = art.TrainableModel(name="agent", project=name, entity=entity, base_model="heddle/tiny")
    await model.register(backend)
    client = model.openai_client()

    async def groups() -> list[art.TrajectoryGroup]:
        inference_name = model.get_inference_name()
        return await art.gather_trajectory_groups(
            [art.TrajectoryGroup(rollout(client, inference_name, place) for place in range(4))]
        )

    await backend.train(model, await groups(), learning_rate=1e-3)
    await model.log(await groups(), split="val")
    folder = await backend._experimental_pull_model_checkpoint(model, step=1, local_path=tempfile.mkdtemp())
    pulled = {file: os.path.getsize(os.path.join(folder, file)) for file in sorted(os.listdir(folder))}

    fork = art.TrainableModel(name="fork", project=name, entity=entity, base_model="heddle/tiny")
    await fork.register(backend)
    await backend._experimental_fork_checkpoint(fork, from_model="agent")
    same = await logprobs(client, model.get_inference_name()) == await logprobs(client, fork.get_inference_name())

    conversation = art.Trajectory(
        messages_and_choices=[{"role": "user", "content": QUESTION}, {"role": "assistant", "content": "maybe"}]
    )
    await fork.train_sft([conversation] * 4, art.TrainSFTConfig(learning_rate=1e-3, batch_size=2))

    model._get_wandb_run().finish()
    fork._get_wandb_run().finish()
    api = wandb.Api()
    run = api.run(f"{project}/agent")
    rows = [row for row in run.scan_history() if "training_step" in row]
    latest = api.artifact(f"{project}/agent:latest", type="lora")
    forked = api.artifacts("lora", f"{project}/fork")
    report = {
        "rows": [sorted(key for key in row if key in ("val/reward", "train/reward", "loss/train")) for row in rows],
        "run": {"state": run.state, "config": dict(run.config)},
        "pulled": pulled,
        "latest": {"aliases": sorted(latest.aliases), "metadata": latest.metadata, "type": latest.type, "version": latest.version},
        "fork": {"same": same, "aliases": [sorted(version.aliases) for version in forked], "step": await backend._get_step(fork)},
        "data": [c.name for c in api.artifact_type("dataset", project).collections()],
    }
    await backend.close()
    print(json.dumps(report))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
