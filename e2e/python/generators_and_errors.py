"""What a generator yields and what an op raises are kept, and the program behaves as without tracing."""

import asyncio
import json
import sys

import weave

client = weave.init(sys.argv[1])


def collect(values, value):
    return [*(values or []), value]


@weave.op(accumulator=collect)
def count_to(n: int):
    for i in range(n):
        yield i + 1


@weave.op(accumulator=collect)
async def count_later(n: int):
    for i in range(n):
        await asyncio.sleep(0)
        yield i + 1


@weave.op
def divide(a: float, b: float) -> float:
    return a / b


@weave.op
def ask_to_divide(a: float) -> float:
    return divide(a, 0)


@weave.op
async def fail_later():
    await asyncio.sleep(0)
    raise ValueError("nothing to say: ü")


@weave.op
def fail_while_counting():
    yield 1
    raise RuntimeError("lost count")


async def drain(generator):
    return [value async for value in generator]


assert list(count_to(3)) == [1, 2, 3]
assert asyncio.run(drain(count_later(2))) == [1, 2]
assert next(iter(count_to(9))) == 1

for failing, expected in [
    (lambda: ask_to_divide(1), ZeroDivisionError),
    (lambda: asyncio.run(fail_later()), ValueError),
    (lambda: list(fail_while_counting()), RuntimeError),
]:
    try:
        failing()
    except expected:
        pass
    else:
        raise AssertionError(f"{expected} was swallowed")
client.flush()

calls = {call.func_name: call for call in client.get_calls()}
exception = json.loads(calls["divide"].exception)
assert exception["type"] == "ZeroDivisionError"
assert exception["traceback"][-1]["text"] == "return a / b"
assert calls["ask_to_divide"].summary["status_counts"] == {"success": 0, "error": 2}

print(json.dumps({"ops": sorted(calls)}))
