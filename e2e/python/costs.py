"""Prices of models: added, asked for and taken away, and what calls cost by them, with usage rolled up."""

import asyncio
import datetime
import json
import sys

import weave

client = weave.init(sys.argv[1])


@weave.op
def ask(prompt: str) -> dict:
    tokens = len(prompt)
    return {"model": "toy-priced", "usage": {"prompt_tokens": tokens, "completion_tokens": 2, "total_tokens": tokens + 2}}


@weave.op
def ask_well_known() -> dict:
    return {"model": "gpt-4o-2024-08-06", "usage": {"prompt_tokens": 1000, "completion_tokens": 10}}


@weave.op
def ask_twice() -> int:
    ask("1234")
    ask("123456")
    ask_well_known()
    return 2


year = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
first = client.add_cost("toy-priced", 1, 2, effective_date=year)
second = client.add_cost(llm_id="toy-other", prompt_token_cost=0.25, completion_token_cost=0.5, provider_id="mine")
[[price_id, model]] = first.ids
assert model == "toy-priced", first

found = client.query_costs(llm_ids=["toy-priced"])
assert [cost.id for cost in found] == [price_id], found
assert (found[0].prompt_token_cost, found[0].completion_token_cost, found[0].provider_id) == (1, 2, "default")
assert found[0].effective_date == year, found[0].effective_date
assert {cost.llm_id for cost in client.query_costs()} == {"toy-priced", "toy-other"}
assert [cost.llm_id for cost in client.query_costs(second.ids[0][0])] == ["toy-other"]
assert len(client.query_costs(limit=1, offset=1)) == 1
query = {"$expr": {"$lt": [{"$getField": "prompt_token_cost"}, {"$literal": 0.5}]}}
assert [cost.llm_id for cost in client.query_costs(query)] == ["toy-other"]

_, root = ask_twice.call()
client.flush()

calls = {call.func_name: call for call in client.get_calls(include_costs=True)}
costs = calls["ask_twice"].summary["weave"]["costs"]
assert costs["toy-priced"]["prompt_tokens_total_cost"] == 10, costs
assert costs["toy-priced"]["completion_tokens_total_cost"] == 8, costs
assert costs["toy-priced"]["requests"] == 2 and costs["toy-priced"]["pricing_level"] == "project", costs
assert costs["gpt-4o-2024-08-06"]["pricing_level"] == "default", costs
assert abs(costs["gpt-4o-2024-08-06"]["prompt_tokens_total_cost"] - 0.0025) < 1e-12, costs
assert "costs" not in next(iter(client.get_calls())).summary["weave"]

asked = {"project_id": client.project_id, "call_ids": [root.id, "unknown"], "include_costs": True}
usage = client.server.calls_usage(asked)
assert usage.call_usage["unknown"] == {}
assert usage.call_usage[root.id]["toy-priced"].prompt_tokens == 20, usage
once = usage.model_extra["call_usage_counted_once"][root.id]
assert once["toy-priced"]["prompt_tokens"] == 10 and once["toy-priced"]["prompt_tokens_total_cost"] == 10, once
assert once["gpt-4o-2024-08-06"]["prompt_tokens"] == 1000, once
trace = client.server.trace_usage({"project_id": client.project_id, "filter": {"trace_ids": [root.trace_id]}})
assert len(trace.call_usage) == 4 and trace.unfinished_call_ids == []
assert trace.call_usage[root.id]["toy-priced"].prompt_tokens_total_cost is None

client.purge_costs(price_id)
client.purge_costs([second.ids[0][0]])
assert client.query_costs() == []
unpriced = next(iter(client.get_calls(filter={"call_ids": [root.id]}, include_costs=True)))
assert set(unpriced.summary["weave"]["costs"]) == {"gpt-4o-2024-08-06"}
assert unpriced.summary["weave"]["unpriced_tokens"] == {"toy-priced": 14}, unpriced.summary


def checked(answer):
    """The client builds answers without validation: this validates one, with what we add to it."""
    return type(answer).model_validate(answer.model_dump())


usage = checked(client.server.calls_usage(asked))
of_root = usage.call_usage[root.id]["toy-priced"]
assert of_root.model_extra["unpriced_tokens"] > 0 and of_root.model_extra["is_at_least"], usage
of_trace = usage.model_extra["trace_usage"][root.trace_id]
assert of_trace["toy-priced"]["unpriced_tokens"] == 14 and of_trace["gpt-4o-2024-08-06"]["is_at_least"] is False, usage
trace = checked(client.server.trace_usage({"project_id": client.project_id, "include_costs": True}))
assert trace.call_usage[root.id]["toy-priced"].model_extra["is_at_least"], trace
day = {"start": datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1), "granularity": 86_400}
stats = checked(
    client.server.call_stats({"project_id": client.project_id, **day, "usage_metrics": [{"metric": "total_cost"}]})
)
assert sum(bucket.get("unpriced_tokens") or 0 for bucket in stats.usage_buckets if bucket["model"] == "toy-priced") > 0, stats

evaluation = weave.Evaluation(name="costs", dataset=[{"prompt": "1234"}], scorers=[])
asyncio.run(evaluation.evaluate(ask))
client.flush()
[run] = client.get_calls(filter={"op_names": [f"weave:///{sys.argv[1]}/op/Evaluation.evaluate:*"]})
of_run = {"project_id": sys.argv[1], "evaluation_call_ids": [run.id]}
results = checked(client.server.eval_results_query({**of_run, "include_summary": True, "include_costs": True}))
of_evaluation = results.summary.evaluations[0]
assert of_evaluation.predict_total_cost is None and of_evaluation.model_extra["predict_is_at_least"], results
assert of_evaluation.model_extra["predict_unpriced_tokens"] == {"toy-priced": 6}, results
[trial] = results.rows[0].evaluations[0].trials
assert trial.model_extra["is_at_least"] and trial.model_extra["unpriced_tokens"] == {"toy-priced": 6}, results

print(json.dumps({"root": root.id}))
