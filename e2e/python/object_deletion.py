"""A deleted version is gone for readers and leaves a mark where something refers to it."""

import json
import sys

import weave

client = weave.init(sys.argv[1])

versions = [weave.publish({"n": n}, "counter") for n in range(3)]
versions[2].delete()
assert weave.ref("counter:latest").get() == {"n": 1}
try:
    versions[2].get()
except ValueError as error:
    assert "deleted" in str(error), error
else:
    raise AssertionError("a deleted version was read")

assert client.delete_object_versions("counter", ["v0"]) == 1
assert client.delete_all_object_versions("counter") == 1

again = weave.publish({"n": 2}, "counter")
assert again.get() == {"n": 2}


@weave.op
def obsolete() -> int:
    return 1


op_ref = weave.publish(obsolete)
assert client.delete_all_op_versions("obsolete") == 1

print(json.dumps({"again": again.uri, "op": op_ref.uri}))
