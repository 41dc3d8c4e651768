"""What programs do with the wandb package: a run that is resumed, an artifact logged, used, changed and deleted, and all of it read back."""

import json
import os
import sys

import wandb

name = sys.argv[1]
entity, project = name.split("/")
report = {}

run = wandb.init(entity=entity, project=project, id="run-1", name="first", config={"lr": 0.1, "deep": {"a": [1]}}, tags=["x"])
for step in range(10):
    run.log({"loss": 1 / (step + 1), "eval/accuracy": step / 10, "odd": float("nan")})
os.makedirs("data/sub")
contents = {"a.txt": b"hello", "sub/same.txt": b"hello", "b.bin": os.urandom(2_000_000)}
for path, content in contents.items():
    with open(os.path.join("data", path), "wb") as file:
        file.write(content)
artifact = wandb.Artifact("corpus", type="dataset", description="words", metadata={"rows": 3})
artifact.add_dir("data")
logged = run.log_artifact(artifact, aliases=["best"]).wait()
report["logged"] = {"version": logged.version, "aliases": sorted(logged.aliases), "size": logged.size}
run.summary["final"] = 7
run.finish()

run = wandb.init(entity=entity, project=project, id="run-1", resume="must")
report["resumed"] = {"step": run.step, "lr": run.config["lr"], "final": run.summary["final"]}
run.log({"loss": 0.01})
folder = run.use_artifact("corpus:best").download()
report["downloaded"] = {path: open(os.path.join(folder, path), "rb").read() == content for path, content in contents.items()}
again = wandb.Artifact("corpus", type="dataset")
again.add_dir("data")
report["same"] = run.log_artifact(again).wait().version
run.finish()

run = wandb.init(entity=entity, project=project, id="run-2")
more = wandb.Artifact("corpus", type="dataset")
more.add_file("data/a.txt")
report["next"] = run.log_artifact(more).wait().version
run.finish(exit_code=1)

api = wandb.Api()
read = api.run(f"{name}/run-1")
rows = list(read.scan_history())
report["read"] = {
    "state": read.state,
    "name": read.name,
    "tags": read.tags,
    "config": read.config,
    "loss": [row["loss"] for row in rows],
    "summary": {key: read.summary[key] for key in ("loss", "final")},
    "sampled": len(read.history(samples=4, pandas=False)),
    "files": sorted(file.name for file in read.files()),
    "output": read.file("config.yaml").download("back").read()[:4],
}
report["runs"] = {each.id: each.state for each in api.runs(name, order="+created_at")}
best = api.artifact(f"{name}/corpus:best")
best.metadata["checked"] = True
best.aliases.append("production")
best.save()
changed = api.artifact(f"{name}/corpus:production")
report["changed"] = {"metadata": changed.metadata, "aliases": sorted(changed.aliases), "description": changed.description}
report["versions"] = [version.name for version in api.artifacts("dataset", f"{name}/corpus")]
report["used_by"] = sorted(each.id for each in changed.used_by())
report["logged_by"] = changed.logged_by().id
api.artifact(f"{name}/corpus:v1").delete(delete_aliases=True)
report["latest"] = api.artifact(f"{name}/corpus:latest").version
try:
    api.artifact(f"{name}/corpus:v1")
except wandb.errors.CommError as error:
    report["deleted"] = "not found" in str(error)
print(json.dumps(report))
