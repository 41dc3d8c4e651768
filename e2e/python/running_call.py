"""A call can be seen while it runs, and its end completes the same call."""

import json
import sys
import time

import weave

client = weave.init(sys.argv[1])


def read_when_there(call_id: str):
    for _ in range(200):
        calls = list(client.get_calls(filter={"call_ids": [call_id]}))
        if calls:
            return calls[0]
        time.sleep(0.02)
    raise AssertionError("the running call never arrived")


@weave.op(eager_call_start=True)
def long_work(x: int) -> int:
    seen = read_when_there(weave.require_current_call().id)
    assert seen.ended_at is None and seen.output is None
    assert seen.summary["weave"]["status"] == "running"
    assert seen.inputs["x"] == x
    return x + 1


_, done = long_work.call(1)

unfinished = client.create_call("by_hand", {"step": 1})
client.finish_call(unfinished, output="well", )
client.flush()

read = client.get_call(done.id)
assert read.ended_at is not None and read.output == 2
assert read.summary["weave"]["status"] == "success"
assert client.get_call(unfinished.id).output == "well"

print(json.dumps({"done": done.id, "by_hand": unfinished.id}))
