"""Every way in which the client asks for calls: filters, queries, order, pages, columns, counts, expanded refs."""

import json
import sys

import weave

client = weave.init(sys.argv[1])


@weave.op
def score(n: int, config: dict, tag: str = "none") -> dict:
    if n == 7:
        raise ValueError("seven")
    return {"points": n * 1.5, "even": n % 2 == 0}


@weave.op
def other(n: int) -> int:
    return n


config = {"name": "low", "limit": 3}
ref = weave.publish(config, "config")
for n in range(10):
    try:
        score(n, ref.get() if n < 5 else {"name": "inline"}, tag=f"tag-{n}")
    except ValueError:
        pass
_, root = other.call(1)
client.flush()


def numbers(**options) -> list:
    return [call.inputs["n"] for call in client.get_calls(**options)]


def field(name):
    return {"$getField": name}


def literal(value):
    return {"$literal": value}


def query(**expression):
    return {"$expr": {f"${name}": value for name, value in expression.items()}}


by_op = {"op_names": [score.ref.uri]}
ascending = [{"field": "started_at", "direction": "asc"}]
descending = [{"field": "inputs.n", "direction": "desc"}]

assert numbers(filter=by_op, sort_by=ascending) == list(range(10))
assert numbers(filter=by_op, sort_by=descending) == list(range(9, -1, -1))
assert numbers(filter=by_op, sort_by=descending, limit=2, offset=1) == [8, 7]
assert numbers(filter=by_op, sort_by=ascending, page_size=3) == list(range(10))
assert len(client.get_calls(filter=by_op)) == 10
assert len(client.get_calls(filter=by_op, limit=4)) == 4
assert client.get_calls(filter=by_op, sort_by=ascending)[3].inputs["n"] == 3
assert [call.inputs["n"] for call in client.get_calls(filter=by_op, sort_by=ascending)[2:4]] == [2, 3]
assert numbers(filter={"call_ids": [root.id]}) == [1]
assert numbers(filter={"op_names": [f"weave:///{sys.argv[1]}/op/other:*"]}) == [1]
assert len(client.get_calls(filter={"trace_roots_only": True})) == 11

is_seven = query(eq=[field("inputs.n"), literal(7)])
assert numbers(query=is_seven) == [7]
assert len(client.get_calls(query=is_seven)) == 1
above = query(gt=[{"$convert": {"input": field("output.points"), "to": "double"}}, literal(10.0)])
assert numbers(query=above, sort_by=ascending) == [8, 9]
named = query(contains={"input": field("inputs.tag"), "substr": literal("TAG-4"), "case_insensitive": True})
assert numbers(query=named) == [4]
either = query(**{"or": [{"$eq": [field("inputs.tag"), literal("tag-1")]}, {"$in": [field("inputs.tag"), [literal("tag-2")]]}]})
assert numbers(query=either, sort_by=ascending) == [1, 2]
failed = query(eq=[field("summary.weave.status"), literal("error")])
assert numbers(query=failed) == [7]
even = query(**{"and": [{"$eq": [field("output.even"), literal(True)]}, {"$not": [{"$gte": [field("inputs.n"), literal(5)]}]}]})
assert numbers(query=even, sort_by=ascending) == [0, 2, 4]

slim = client.get_calls(filter=by_op, columns=["inputs.n"], sort_by=ascending)[0]
assert slim.inputs["n"] == 0 and slim.output is None
assert slim.op_name and slim.trace_id and slim.started_at

# The five that were given the published config hold a ref to it, which a query can look through.
through = query(eq=[field("inputs.config.name"), literal("low")])
assert numbers(query=through, expand_columns=["inputs.config"], sort_by=ascending) == [0, 1, 2, 3, 4]
expanded = list(client.get_calls(filter=by_op, expand_columns=["inputs.config"], sort_by=ascending))[0]
assert expanded.inputs["config"]["limit"] == 3

print(json.dumps({"config": ref.uri, "calls": len(client.get_calls())}))
