"""Tags and aliases: set with a publication and after it, moved, listed, taken away."""

import json
import sys

import weave

project = sys.argv[1]
client = weave.init(project)

first = weave.publish({"lr": 0.1}, "settings", tags=["tried", "slow one"], aliases=["prod"])
second = weave.publish({"lr": 0.2}, "settings")
assert sorted(weave.get_tags(first)) == ["slow one", "tried"]
assert weave.get_aliases(first) == ["prod"]
assert weave.get_aliases(second) == ["latest"]
assert weave.ref("settings:prod").get()["lr"] == 0.1

weave.set_aliases(second, ["prod", "best one"])
assert weave.get_aliases(first) == []
assert sorted(weave.get_aliases(second)) == ["best one", "latest", "prod"]
assert weave.ref("settings:prod").get()["lr"] == 0.2

weave.add_tags(second, ["tried"])
weave.remove_tags(first, ["tried"])
assert weave.get_tags(first) == ["slow one"]
assert weave.list_tags() == ["slow one", "tried"]
assert weave.list_aliases() == ["best one", "latest", "prod"]
weave.remove_aliases(second, "best one")
assert weave.list_aliases() == ["latest", "prod"]

refused = 0
for name in ["latest", "v3", "a/b"]:
    try:
        weave.set_aliases(second, name)
    except Exception:
        refused += 1
assert refused == 3

print(json.dumps({"first": first.digest, "second": second.digest}))
