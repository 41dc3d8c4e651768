"""weave.init with the name of a project alone finds the entity of the key's owner."""

import json
import sys

import weave

client = weave.init(sys.argv[1])


@weave.op
def hello() -> str:
    return "hello"


hello()
client.flush()
print(json.dumps({"entity": client.entity, "project": client.project, "calls": len(client.get_calls())}))
