"""Fifty versions of one name published at once become fifty consecutive versions."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import weave

client = weave.init(sys.argv[1])


def publish(n: int) -> str:
    return weave.publish({"n": n}, "shared").digest


with ThreadPoolExecutor(max_workers=50) as pool:
    digests = list(pool.map(publish, range(50)))
client.flush()
assert len(set(digests)) == 50
seen = {weave.ref(f"shared:v{index}").get()["n"] for index in range(50)}
assert seen == set(range(50))

print(json.dumps({"digests": digests}))
