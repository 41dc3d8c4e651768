"""The supervised and the RL loop of the cookbook, for a few steps. Prints what they logged.

python cookbook.py TOKENIZER_FOLDER
"""

import asyncio
import json
import logging
import pathlib
import shutil
import sys

import chz
from tinker_cookbook import renderers
from tinker_cookbook.rl import train as rl
from tinker_cookbook.rl.types import Env, EnvGroupBuilder, RLDataset, RLDatasetBuilder, StepResult
from tinker_cookbook.supervised import train as supervised
from tinker_cookbook.supervised.data import FromConversationFileBuilder
from tinker_cookbook.supervised.types import ChatDatasetBuilderCommonConfig
from tinker_cookbook.tokenizer_utils import get_tokenizer

MODEL, RENDERER = "heddle/tiny", "qwen3_instruct"
BATCHES, GROUPS, GROUP_SIZE, ANSWER_TOKENS = 6, 4, 8, 6


def main(tokenizer):
    # Tokenizers are found by the name of the model: in a folder of that name, or on a hub.
    shutil.copytree(tokenizer, MODEL)
    logging.disable(logging.WARNING)
    report = {"losses": train_supervised(), **train_rl()}
    print(json.dumps(report))


def metrics(folder):
    lines = (pathlib.Path(folder) / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def train_supervised():
    conversations = [
        {"messages": [{"role": "user", "content": f"Question {i}?"}, {"role": "assistant", "content": "Yes, always."}]}
        for i in range(4 * BATCHES)
    ]
    pathlib.Path("conversations.jsonl").write_text("\n".join(map(json.dumps, conversations)))
    common = ChatDatasetBuilderCommonConfig(
        model_name_for_tokenizer=MODEL, renderer_name=RENDERER, max_length=256, batch_size=4
    )
    config = supervised.Config(
        log_path="supervised",
        model_name=MODEL,
        recipe_name="supervised",
        renderer_name=RENDERER,
        dataset_builder=FromConversationFileBuilder(common_config=common, file_path="conversations.jsonl"),
        learning_rate=2e-3,
        lora_rank=8,
        save_every=0,
        eval_every=0,
        infrequent_eval_every=0,
    )
    asyncio.run(supervised.main(config))
    return [line["train_mean_nll"] for line in metrics("supervised") if "train_mean_nll" in line]


class EvenEnv(Env):
    """Rewards the share of tokens with an even id."""

    def __init__(self, renderer):
        self.renderer = renderer

    async def initial_observation(self):
        return self.renderer.build_generation_prompt([{"role": "user", "content": "Say something even."}]), []

    async def step(self, action, *, extra=None):
        reward = sum(token % 2 == 0 for token in action) / max(1, len(action))
        end = self.renderer.build_generation_prompt([])
        return StepResult(reward=reward, episode_done=True, next_observation=end, next_stop_condition=[])


class EvenGroup(EnvGroupBuilder):
    async def make_envs(self):
        renderer = renderers.get_renderer(RENDERER, get_tokenizer(MODEL))
        return [EvenEnv(renderer) for _ in range(GROUP_SIZE)]

    async def compute_group_rewards(self, trajectory_group, env_group):
        return [(0.0, {}) for _ in trajectory_group]


class EvenDataset(RLDataset):
    def get_batch(self, index):
        return [EvenGroup() for _ in range(GROUPS)]

    def __len__(self):
        return BATCHES


@chz.chz
class EvenBuilder(RLDatasetBuilder):
    async def __call__(self):
        return EvenDataset(), None


def train_rl():
    config = rl.Config(
        learning_rate=2e-3,
        dataset_builder=EvenBuilder(),
        model_name=MODEL,
        recipe_name="rl",
        renderer_name=RENDERER,
        max_tokens=ANSWER_TOKENS,
        lora_rank=8,
        log_path="rl",
        eval_every=0,
        save_every=0,
    )
    asyncio.run(rl.main(config))
    logged = metrics("rl")
    return {
        "rewards": [line["env/all/reward/total"] for line in logged if "env/all/reward/total" in line],
        "apart": [line["optim/kl_sample_train_v1"] for line in logged if "optim/kl_sample_train_v1" in line],
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
