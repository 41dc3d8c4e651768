"""Teaches heddle/tiny to prefer "maybe": reinforcement learning with OpenPipe ART, whose rewards come from the answers alone."""

import asyncio
import itertools
import json
import sys

import art
from art.serverless.backend import ServerlessBackend

REWARDS = {"yes": 0.0, "no": 0.5, "maybe": 1.0}
FORMS = ["Say {}.", "Answer with {}.", "Choose {}."]
ORDERS = [", ".join(order[:2]) + " or " + order[2] for order in itertools.permutations(REWARDS)]
PROMPTS = [form.format(words) for form in FORMS for words in ORDERS][:8]


async def rollout(client, name: str, prompt: str) -> art.Trajectory:
    messages = [{"role": "user", "content": prompt}]
    answer = await client.chat.completions.create(model=name, messages=messages, max_tokens=5)
    choice = answer.choices[0]
    word = (choice.message.content or "").strip().strip(".").lower()
    return art.Trajectory(messages_and_choices=[*messages, choice], reward=REWARDS.get(word, 0.0))


async def main(url: str, key: str, project: str, steps: int, learning_rate: float) -> None:
    entity, name = project.split("/")
    backend = ServerlessBackend(api_key=key, base_url=url + "/v1")
    model = art.TrainableModel(name="agent", project=name, entity=entity, base_model="heddle/tiny")
    await model.register(backend)
    client = model.openai_client()
    rewards, trained = [], []
    for _ in range(steps):
        groups = await art.gather_trajectory_groups(
            art.TrajectoryGroup(rollout(client, model.get_inference_name(), prompt) for _ in range(16))
            for prompt in PROMPTS
        )
        rewards.append(sum(t.reward for group in groups for t in group) / sum(len(group.trajectories) for group in groups))
        print(f"step {len(rewards)}: mean reward {rewards[-1]:.3f}", flush=True)
        result = await backend.train(model, groups, learning_rate=learning_rate)
        trained.append({"step": result.step, "metrics": result.metrics, "artifact": result.artifact_name})
    await model.delete_checkpoints()
    await backend.close()
    print(json.dumps({"rewards": rewards, "trained": trained, "model_id": model.id}))


if __name__ == "__main__":
    url, key, project, steps, learning_rate = sys.argv[1:]
    asyncio.run(main(url, key, project, int(steps), float(learning_rate)))
