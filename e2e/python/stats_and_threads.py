"""The client's own calls for statistics and threads."""

import datetime
import json
import sys
import time

import weave

project = sys.argv[1]
client = weave.init(project)


@weave.op
def chat(question: str) -> dict:
    usage = {"prompt_tokens": 30, "completion_tokens": 12, "total_tokens": 42}
    return {"model": "m-1", "answer": question.upper(), "usage": usage}


@weave.op
def answer(question: str) -> str:
    return chat(question)["answer"]


@weave.op
def fail() -> None:
    raise ValueError("no")


with weave.thread("conversation-1"):
    _, first = answer.call("a")
    time.sleep(0.01)
    _, second = answer.call("b")
with weave.thread("conversation-2"):
    answer.call("c")
answer.call("no thread")
try:
    fail()
except ValueError:
    pass
client.flush()

threads = list(client.server.threads_query_stream({"project_id": project}))
assert [thread.thread_id for thread in threads] == ["conversation-2", "conversation-1"]
thread = threads[1]
assert thread.turn_count == 2
assert thread.first_turn_id == first.id and thread.last_turn_id == second.id
assert thread.start_time == first.started_at
assert thread.p50_turn_duration_ms >= 0
newest = {"project_id": project, "limit": 1, "sort_by": [{"field": "turn_count", "direction": "desc"}]}
assert [each.thread_id for each in client.server.threads_query_stream(newest)] == ["conversation-1"]
only = {"project_id": project, "filter": {"thread_ids": ["conversation-2"], "after_datetime": "2024-01-01"}}
assert [each.turn_count for each in client.server.threads_query_stream(only)] == [1]

start = datetime.datetime.now(tz=datetime.timezone.utc) - datetime.timedelta(hours=1)
stats = client.server.call_stats(
    {
        "project_id": project,
        "start": start,
        "granularity": 3600,
        "usage_metrics": [{"metric": "total_tokens"}, {"metric": "input_tokens", "aggregations": ["max"]}],
        "call_metrics": [
            {"metric": "latency_ms", "aggregations": ["avg", "max"], "percentiles": [50, 95]},
            {"metric": "call_count"},
            {"metric": "error_count"},
        ],
        "filter": {"trace_roots_only": True},
        "timezone": "Europe/Berlin",
    }
)
assert stats.granularity == 3600 and stats.timezone == "Europe/Berlin"
offset = datetime.datetime.fromisoformat(stats.call_buckets[0]["timestamp"]).utcoffset()
assert offset in (datetime.timedelta(hours=1), datetime.timedelta(hours=2))

print(json.dumps({"usage": stats.usage_buckets, "calls": stats.call_buckets}))
