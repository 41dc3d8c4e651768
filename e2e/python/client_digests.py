"""With client-side digests on, what the client computed is what the server computed: nothing is refused."""

import json
import sys

import weave
from PIL import Image

client = weave.init(sys.argv[1])


class Pair(weave.Object):
    left: dict
    right: float


class Model(weave.Model):
    weight: float

    @weave.op
    def predict(self, x: float) -> float:
        return x * self.weight


values = {
    "numbers": {"one": 1, "one_point": 1.0, "tiny": 1e-9, "huge": 1e22, "negative": -0.0, "big": 2**70},
    "text": {"ü": "grüezi 🧶", "escape": 'a"b\\c\n\t\u2028', "key order": {"b": 1, "a": 2}},
    "refs": {"to": weave.publish({"x": 1}, "target").uri, "in text": "see weave:///elsewhere"},
    "pair": Pair(left={"a": [1, None, True]}, right=0.5),
    "model": Model(weight=1.5),
    "picture": Image.new("RGB", (3, 3), (1, 2, 3)),
    "rows": weave.Dataset(rows=[{"b": n, "a": n / 3} for n in range(50)]),
    "many rows": weave.Dataset(rows=[{"n": n} for n in range(1200)]),
}
refs = {name: weave.publish(value, name.replace(" ", "-")) for name, value in values.items()}
Model(weight=2.5).predict(1.0)
client.flush()

# A refused digest switches the feature off for the rest of the process.
assert client._should_compute_client_digests()
for name, ref in refs.items():
    assert ref.get() is not None, name
assert refs["numbers"].get() == values["numbers"]
assert refs["text"].get() == values["text"]

print(json.dumps({name: ref.uri for name, ref in refs.items()}))
