"""Ops that call ops: one tree of calls, with what went in and what came out."""

import asyncio
import json
import sys

import weave

client = weave.init(sys.argv[1])


@weave.op
def add(a: int, b: int) -> int:
    return a + b


@weave.op
def sum_of_squares(numbers: list) -> int:
    total = 0
    for number in numbers:
        total = add(total, number * number)
    return total


@weave.op
async def wait_and_double(x: float) -> float:
    await asyncio.sleep(0)
    return x * 2


@weave.op
async def at_once(xs: list) -> list:
    return await asyncio.gather(*(wait_and_double(x) for x in xs))


assert sum_of_squares([1, 2, 3]) == 14
assert asyncio.run(at_once([0.5, 1.5])) == [1.0, 3.0]
result, call = sum_of_squares.call([4])
assert result == 16
client.flush()

read = client.get_call(call.id)
assert read.output == 16 and read.inputs["numbers"] == [4]
children = list(read.children())
assert [child.func_name for child in children] == ["add"]
assert children[0].parent_id == call.id and children[0].trace_id == call.trace_id

print(json.dumps({"root": call.id, "trace": call.trace_id}))
