"""An op is stored with its code: another process reads it, runs it, and sees each change as a version."""

import json
import subprocess
import sys

import weave

reader = """
import json, sys, weave
weave.init(sys.argv[1])
op = weave.ref(sys.argv[2]).get()
print(json.dumps(op(3, 4)))
"""

client = weave.init(sys.argv[1])
OFFSET = 100


def helper(x: int) -> int:
    return x * 2


@weave.op
def combine(a: int, b: int) -> int:
    return helper(a) + b + OFFSET


first = weave.publish(combine)
assert combine(3, 4) == 110


@weave.op(name="combine")
def combine_differently(a: int, b: int) -> int:
    return a - b


second = weave.publish(combine_differently)
client.flush()
assert first.uri != second.uri
assert first.get()(3, 4) == 110

elsewhere = subprocess.run([sys.executable, "-c", reader, sys.argv[1], first.uri], capture_output=True, text=True)
assert elsewhere.returncode == 0, elsewhere.stderr
assert elsewhere.stdout.splitlines()[-1] == "110", elsewhere.stdout

print(json.dumps({"first": first.uri, "second": second.uri}))
