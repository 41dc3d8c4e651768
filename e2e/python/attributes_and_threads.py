"""Attributes, threads and turns are inherited by what runs inside of them, thread pools included."""

import json
import sys

import weave

client = weave.init(sys.argv[1])


@weave.op
def inner(x: int) -> int:
    return x + 1


@weave.op
def outer(x: int) -> int:
    return inner(x)


@weave.op
def in_pool(n: int) -> list:
    with weave.ThreadPoolExecutor(max_workers=4) as pool:
        return list(pool.map(inner, range(n)))


with weave.attributes({"env": "test", "tags": {"a": 1}}):
    with weave.attributes({"user": "zoë"}):
        _, attributed = outer.call(1)

with weave.thread("conversation-1"):
    _, first = outer.call(1)
    _, second = outer.call(2)
assert first.turn_id == first.id and second.turn_id == second.id

with weave.thread() as thread:
    _, own_thread = outer.call(3)
    with weave.thread(None):
        _, no_thread = outer.call(4)

_, pool = in_pool.call(20)
client.flush()

read = client.get_call(attributed.id)
assert read.attributes["env"] == "test" and read.attributes["user"] == "zoë"
assert client.get_call(first.id).thread_id == "conversation-1"
assert client.get_call(own_thread.id).thread_id == thread.thread_id
assert client.get_call(no_thread.id).thread_id is None

children = list(client.get_call(pool.id).children())
assert len(children) == 20
assert sorted(child.output for child in children) == list(range(1, 21))
assert {child.trace_id for child in children} == {pool.trace_id}

in_thread = list(client.get_calls(filter={"thread_ids": ["conversation-1"]}))
turns = list(client.get_calls(filter={"thread_ids": ["conversation-1"], "turn_ids": [first.id]}))
assert {call.func_name for call in turns} == {"outer", "inner"}

print(json.dumps({"attributed": attributed.id, "thread": [call.id for call in in_thread], "turns": [first.id, second.id]}))
