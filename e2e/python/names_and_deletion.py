"""Calls can be given a name, lose it again, and be deleted with everything below them."""

import json
import sys

import weave

client = weave.init(sys.argv[1])


@weave.op
def leaf() -> int:
    return 1


@weave.op(call_display_name="named by the op")
def branch() -> int:
    return leaf()


@weave.op
def tree() -> int:
    return branch() + leaf()


_, kept = branch.call()
_, renamed = leaf.call()
_, deleted = tree.call()
client.flush()
assert client.get_call(kept.id).display_name == "named by the op"

client.get_call(renamed.id).set_display_name("a better name")
client.get_call(kept.id).remove_display_name()
client.flush()
assert client.get_call(renamed.id).display_name == "a better name"
assert client.get_call(kept.id).display_name is None

assert len(list(client.get_calls(filter={"trace_ids": [deleted.trace_id]}))) == 4
client.get_call(deleted.id).delete()
assert list(client.get_calls(filter={"trace_ids": [deleted.trace_id]})) == []
try:
    client.get_call(deleted.id)
except ValueError as error:
    assert "not found" in str(error)
else:
    raise AssertionError("a deleted call was found")
client.delete_calls([renamed.id])

print(json.dumps({"kept": kept.id, "left": [call.id for call in client.get_calls()]}))
