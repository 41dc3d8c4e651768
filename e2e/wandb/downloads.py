"""Uploads files of an artifact and of a run, and downloads them again without the client's cache, large ones in parts."""

import json
import os
import sys

import wandb
from wandb.sdk.artifacts.storage_policies import _multipart, wandb_storage_policy

# Parts have 100 MB by default.
_multipart.multipart_download.__defaults__ = (300_000,)
assert wandb_storage_policy.multipart_download is _multipart.multipart_download

name = sys.argv[1]
entity, project = name.split("/")
contents = {"large.bin": os.urandom(1_000_000), "sub/small.txt": b"hello", "same.txt": b"hello"}
os.makedirs("data/sub")
for path, content in contents.items():
    with open(os.path.join("data", path), "wb") as file:
        file.write(content)

run = wandb.init(entity=entity, project=project, id="run-1")
with open("notes.txt", "w") as file:
    file.write("first")
run.save("notes.txt", policy="now")
artifact = wandb.Artifact("corpus", type="dataset")
artifact.add_dir("data")
logged = run.log_artifact(artifact).wait()
run.finish()

report = {"version": logged.version, "size": logged.size}
for how, multipart in (("whole", False), ("in_parts", True)):
    found = wandb.Api().artifact(f"{name}/corpus:v0")
    folder = found.download(root=how, skip_cache=True, multipart=multipart)
    report[how] = {path: open(os.path.join(folder, path), "rb").read() == content for path, content in contents.items()}
report["notes"] = wandb.Api().run(f"{name}/run-1").file("notes.txt").download("back").read()

again = wandb.init(entity=entity, project=project, id="run-2")
more = wandb.Artifact("corpus", type="dataset")
more.add_file("data/same.txt")
report["next"] = again.log_artifact(more).wait().version
again.finish()
print(json.dumps(report))
