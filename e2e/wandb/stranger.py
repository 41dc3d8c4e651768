"""What a user sees whose key has no access to the entity."""

import json
import sys

import wandb

name = sys.argv[1]
entity, project = name.split("/")
report = {}
try:
    wandb.init(entity=entity, project=project, id="run-1", resume="allow", settings=wandb.Settings(init_timeout=40))
except Exception as error:
    report["init"] = str(error)
try:
    wandb.Api().artifact(f"{name}/corpus:v0")
except Exception as error:
    report["artifact"] = str(error)
print(json.dumps(report))
