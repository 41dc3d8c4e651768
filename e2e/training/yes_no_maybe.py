"""Trains a model to prefer "maybe": reinforcement learning with OpenPipe ART, whose rewards come from the answers alone."""

import argparse
import asyncio
import itertools
import json
import time

import art
from art.serverless.backend import ServerlessBackend

REWARDS = {"yes": 0.0, "no": 0.5, "maybe": 1.0}
FORMS = ["Say {}.", "Answer with {}.", "Choose {}."]
ORDERS = [", ".join(order[:2]) + " or " + order[2] for order in itertools.permutations(REWARDS)]
PROMPTS = [form.format(words) for form in FORMS for words in ORDERS][:8]


async def rollout(client, name: str, prompt: str, seed: int | None) -> art.Trajectory:
    messages = [{"role": "user", "content": prompt}]
    answer = await client.chat.completions.create(model=name, messages=messages, max_tokens=5, seed=seed)
    choice = answer.choices[0]
    word = (choice.message.content or "").strip().strip(".").lower()
    return art.Trajectory(messages_and_choices=[*messages, choice], reward=REWARDS.get(word, 0.0))


async def main(options: argparse.Namespace) -> None:
    entity, name = options.project.split("/")
    backend = ServerlessBackend(api_key=options.key, base_url=options.url + "/v1")
    model = art.TrainableModel(name="agent", project=name, entity=entity, base_model=options.base_model)
    await model.register(backend)
    client = model.openai_client()
    seeds = itertools.repeat(None) if options.seed is None else itertools.count(options.seed * 1_000_000)
    rewards, trained, seconds = [], [], []
    for _ in range(options.steps):
        start = time.monotonic()
        groups = await art.gather_trajectory_groups(
            art.TrajectoryGroup(
                rollout(client, model.get_inference_name(), prompt, next(seeds)) for _ in range(options.answers)
            )
            for prompt in PROMPTS
        )
        gathered = time.monotonic()
        rewards.append(sum(t.reward for group in groups for t in group) / sum(len(group.trajectories) for group in groups))
        print(f"step {len(rewards)}: mean reward {rewards[-1]:.3f}", flush=True)
        result = await backend.train(model, groups, learning_rate=options.learning_rate)
        trained.append({"step": result.step, "metrics": result.metrics, "artifact": result.artifact_name})
        seconds.append({"gather": gathered - start, "train": time.monotonic() - gathered})
    await model.delete_checkpoints()
    await backend.close()
    print(json.dumps({"rewards": rewards, "trained": trained, "seconds": seconds, "model_id": model.id}))


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("url", "key", "project"):
        parser.add_argument(name)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--learning-rate", type=float, default=5e-3)
    parser.add_argument("--base-model", default="heddle/tiny")
    parser.add_argument("--answers", type=int, default=16, help="answers to each prompt in a step")
    parser.add_argument("--seed", type=int, help="makes the sampling of the answers repeatable")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(options()))
