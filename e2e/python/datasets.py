"""Datasets: rows in their order, single rows, selections, additions, and uploads in pieces."""

import json
import sys

import weave

client = weave.init(sys.argv[1])

rows = [{"question": f"q{n}", "n": n, "score": n / 4} for n in range(12)]
ref = weave.publish(weave.Dataset(name="small", rows=rows))
small = ref.get()
assert [dict(row) for row in small] == rows
assert len(small) == 12 and small[3]["question"] == "q3" and small.columns_names == ["question", "n", "score"]
assert [row["n"] for row in small.select([9, 0])] == [9, 0]

# A row knows its place: its ref leads back to it, and a call that was given a cell holds that ref.
row = small.rows[5]
assert row.ref.get()["n"] == 5


@weave.op
def use(question: str) -> str:
    return question.upper()


_, call = use.call(small[5]["question"])
client.flush()
assert client.get_call(call.id).inputs["question"] == "q5"

grown = small.add_rows([{"question": "new", "n": 12, "score": 1}])
client.flush()
assert [row["n"] for row in grown] == list(range(13))
latest = weave.ref("small:latest").get()
assert len(latest) == 13 and len(ref.get()) == 12

many = [{"n": n, "text": f"row {n} " * 5} for n in range(1500)]
large = weave.publish(weave.Dataset(name="large", rows=many)).get()
assert len(large) == 1500
assert [row["n"] for row in large] == list(range(1500))

wide = [{"n": n, "text": chr(97 + n) * 1_000_000} for n in range(10)]
heavy = weave.publish(weave.Dataset(name="heavy", rows=wide)).get()
assert [len(row["text"]) for row in heavy] == [1_000_000] * 10

twice = weave.publish(weave.Dataset(name="twice", rows=[{"a": 1}, {"a": 1}])).get()
assert [dict(row) for row in twice] == [{"a": 1}, {"a": 1}]

print(json.dumps({"small": ref.uri, "call": call.id, "latest": latest.ref.uri}))
