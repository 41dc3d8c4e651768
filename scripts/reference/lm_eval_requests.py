"""Writes testing/lm-eval/requests.json: what lm-eval sends to a server of completions for small tasks of each kind.

    pip install "lm-eval[api]==0.4.13"
    python scripts/reference/lm_eval_requests.py http://127.0.0.1:7400 API_KEY

The server must be running and have the model heddle/tiny. The tokenizer is the server's.
"""

import json
import os
import pathlib
import sys
import tempfile

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "OPENAI_API_KEY": sys.argv[2]}

import requests  # noqa: E402
from lm_eval import simple_evaluate  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

TARGET = pathlib.Path(__file__).parents[2] / "testing/lm-eval/requests.json"
ROWS = [
    {"question": "What color is the sky?", "choices": ["blue", "green"], "label": 0},
    {"question": "Schön, 2+2?", "choices": ["4", "22 üü"], "label": 0},
]
TASKS = {
    "multiple_choice": 'doc_to_choice: "{{choices}}"\ndoc_to_target: "{{label}}"\nmetric_list: [{metric: acc}]',
    "generate_until": 'doc_to_target: "{{choices[label]}}"\ngeneration_kwargs: {until: ["\\n"], max_gen_toks: 8, temperature: 0.0}\n'
    "metric_list: [{metric: exact_match}]",
    "loglikelihood_rolling": 'doc_to_target: "{{question}} {{choices[0]}}"\nmetric_list: [{metric: bits_per_byte}]',
}


def main(url, key):
    sent = []
    record(sent, url)
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for kind, rest in TASKS.items():
        head = f"task: tiny_{kind}\ndataset_path: json\ndataset_kwargs: {{data_files: {{test: {folder}/rows.jsonl}}}}\ntest_split: test\n"
        prompt = '""' if kind == "loglikelihood_rolling" else '"Question: {{question}}\\nAnswer:"'
        (folder / f"{kind}.yaml").write_text(f"{head}output_type: {kind}\ndoc_to_text: {prompt}\n{rest}\n")
    names = [f"tiny_{kind}" for kind in TASKS]
    tasks = TaskManager(include_path=str(folder), include_defaults=False)
    model = {"model": "heddle/tiny", "tokenizer_backend": "remote", "auth_token": key, "base_url": f"{url}/v1/completions"}
    simple_evaluate("local-completions", model_args=model, tasks=names, task_manager=tasks, batch_size=2, bootstrap_iters=0)
    chat = {"model": "heddle/tiny", "base_url": f"{url}/v1/chat/completions"}
    simple_evaluate("local-chat-completions", model_args=chat, tasks=names[1:2], task_manager=tasks, apply_chat_template=True, bootstrap_iters=0)
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(sent, indent=2, ensure_ascii=False) + "\n")


def record(sent, server):
    """Keeps each different request, in order."""
    original = requests.Session.request

    def request(self, method, url, **options):
        each = {"method": method.upper(), "path": url.removeprefix(server)}
        if options.get("json") is not None:
            each["body"] = json.loads(json.dumps(options["json"]))
        if each not in sent:
            sent.append(each)
        return original(self, method, url, **options)

    requests.Session.request = request


if __name__ == "__main__":
    main(*sys.argv[1:])
