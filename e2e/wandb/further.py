"""What programs do with the wandb package beyond the usual: offline and shared runs, forks, tables, references, filters, and its self-test."""

import json
import math
import os
import subprocess
import sys

import wandb

name = sys.argv[1]
entity, project = name.split("/")


def rank(number):
    """One of two processes that log to the same run."""
    settings = wandb.Settings(mode="shared", x_primary=number == 0, x_label=f"rank-{number}", x_update_finish_state=number == 0)
    run = wandb.init(entity=entity, project=project, id="shared", settings=settings)
    for i in range(20):
        run.log({"rank": number, "i": i})
    run.finish()


if len(sys.argv) > 2:
    rank(int(sys.argv[2]))
    sys.exit()

report = {}
wandb_command = os.path.join(os.path.dirname(sys.executable), "wandb")


def read(run_id):
    return wandb.Api().run(f"{name}/{run_id}")


run = wandb.init(entity=entity, project=project, id="offline", mode="offline")
for i in range(3):
    run.log({"x": i})
run.finish()
subprocess.run(f"{wandb_command} sync wandb/offline-run-*", shell=True, check=True, capture_output=True)
report["offline"] = [row["x"] for row in read("offline").scan_history()]

alone = {key: value for key, value in os.environ.items() if key != "WANDB_SERVICE"}  # each process has a service of its own, as on two machines
ranks = [subprocess.Popen([sys.executable, __file__, name, str(number)], stdout=subprocess.DEVNULL, env=alone) for number in range(2)]
report["ranks"] = [process.wait() for process in ranks]
report["shared"] = sorted([row["rank"], row["i"]] for row in read("shared").scan_history())

run = wandb.init(entity=entity, project=project, id="parent", config={"lr": 0.1}, tags=["a"])
for i in range(10):
    run.log({"x": i, "odd": [math.nan, math.inf, -math.inf][i % 3], "dict": {"val1": i}})
run.log({"table": wandb.Table(columns=["a"], data=[[1]])})
with open("note.txt", "w") as file:
    file.write("hello")
run.save("note.txt", policy="now")
os.makedirs("elsewhere")
with open("elsewhere/far.txt", "w") as file:
    file.write("far")
mixed = wandb.Artifact("mixed", type="dataset")
mixed.add_file("note.txt")
mixed.add_reference(f"file://{os.path.abspath('elsewhere/far.txt')}")
run.log_artifact(mixed).wait()
run.finish()

parent = read("parent")
rows = list(parent.scan_history())
report["odd"] = [str(row["odd"]) for row in rows[:3]]
report["keys"] = [row["x"] for row in parent.scan_history(keys=["x"])]
report["pages"] = [row["x"] for row in parent.scan_history(keys=["x"], page_size=4)]
report["range"] = [row["x"] for row in parent.scan_history(keys=["x"], min_step=3, max_step=7)]
report["nested"] = parent.history_keys["keys"]["dict.val1"]
report["note"] = parent.file("./note.txt").download(replace=True).read()
parent.use_artifact(wandb.Api().artifact(f"{name}/mixed:latest"))
report["used"] = [each.name for each in parent.used_artifacts()]
parent.file("note.txt").delete()
report["kept"] = [file.name for file in parent.files(pattern="%.txt")]
artifact = wandb.Api().artifact(f"{name}/mixed:latest")
report["files"] = sorted(file.name for file in artifact.files())
report["downloaded"] = sorted(os.listdir(artifact.download()))

run = wandb.init(entity=entity, project=project, id="fork", fork_from="parent?_step=4", config={"lr": 0.2})
run.log({"x": 100})
run.finish()
report["fork"] = [[row["_step"], row["x"]] for row in read("fork").scan_history(keys=["_step", "x"])]
run = wandb.init(entity=entity, project=project, resume_from="parent?_step=6")
run.log({"x": 200})
run.finish()
report["rewound"] = [[row["_step"], row["x"]] for row in read("parent").scan_history(keys=["_step", "x"])]

api = wandb.Api()
for label, filters in {
    "config": {"config.lr": {"$gt": 0.1}},
    "tags": {"tags": {"$in": ["a"]}},
    "or": {"$or": [{"name": "offline"}, {"display_name": "none"}]},
    "summary": {"summary_metrics.x": {"$gte": 100}},
}.items():
    runs = api.runs(name, filters=filters)
    report[label] = [sorted(each.id for each in runs), len(runs)]
for label, attempt in {
    "unknown": lambda: list(api.runs(name, filters={"colour": "red"})),
    "bayes": lambda: wandb.sweep({"method": "bayes", "parameters": {"x": {"values": [1]}}}, entity=entity, project=project),
}.items():
    try:
        report[label] = repr(attempt())
    except Exception as error:
        report[label] = str(error)

def train():
    with wandb.init() as run:
        run.log({"score": run.config.x})


sweep_id = wandb.sweep({"method": "grid", "metric": {"name": "score", "goal": "maximize"}, "parameters": {"x": {"values": [1, 3, 2]}}}, entity=entity, project=project)
wandb.agent(sweep_id, function=train, entity=entity, project=project)  # ends with the grid
api = wandb.Api()  # the agent has ended what served the one before
sweep = api.sweep(f"{name}/{sweep_id}")
report["sweep"] = {
    "state": sweep.state,
    "method": sweep.config["method"],
    "order": sweep.order,
    "xs": sorted(each.config["x"] for each in sweep.runs),
    "best": sweep.best_run().config["x"],
    "expected": sweep.expected_run_count,
}
report["projects"] = project in [each.name for each in api.projects(entity)]
report["created"] = api.project(project, entity).created_at[:2]

verified = subprocess.run([wandb_command, "verify"], capture_output=True, text=True, env={**os.environ, "LOGNAME": entity})
report["verify"] = verified.returncode
report["verify_runs"] = sorted({each.state for each in api.project("verify", entity).sweeps()[0].runs})  # it does not look itself
report["verified"] = {line.split("..")[0]: line[-1] == "\u2705" for line in verified.stdout.splitlines() if ".." in line}
print(json.dumps(report))
