"""Annotation queues: made, filled with calls, listed, worked through, deleted."""

import json
import sys

import weave

project = sys.argv[1]
client = weave.init(project)


@weave.op
def answer(question: str) -> str:
    return question.upper()


calls = [answer.call(f"q{n}")[1] for n in range(5)]
ids = [call.id for call in calls]

queue_id = client.create_annotation_queue(name="To look at", scorer_refs=[], description="All of them")
assert client.get_annotation_queue(queue_id).name == "To look at"
other_id = client.create_annotation_queue(name="Other", scorer_refs=[])

added = client.add_calls_to_annotation_queue(queue_id, call_ids=ids[:3], display_fields=["inputs.question"])
assert (added.added_count, added.duplicates) == (3, 0)
added = client.add_calls_to_annotation_queue(queue_id, call_ids=ids, display_fields=["inputs.question"])
assert (added.added_count, added.duplicates) == (2, 3)

items = client.list_annotation_queue_items(queue_id, include_position=True)
assert [item.call_id for item in items] == ids
assert [item.position_in_queue for item in items] == [1, 2, 3, 4, 5]
assert items[0].display_fields == ["inputs.question"] and items[0].annotation_state == "unstarted"
assert items[0].call_op_name == calls[0].op_name and items[0].call_trace_id == calls[0].trace_id

for item, state in [(items[0], "in_progress"), (items[0], "completed"), (items[1], "skipped")]:
    updated = client.server.annotator_queue_items_progress_update(
        {"project_id": client.project_id, "queue_id": queue_id, "item_id": item.id, "annotation_state": state}
    )
    assert updated.item.annotation_state == state
done = client.list_annotation_queue_items(queue_id, filter={"annotation_states": ["completed", "skipped"]})
assert [item.call_id for item in done] == ids[:2]
stats = {stat.queue_id: stat for stat in client.get_annotation_queue_stats([queue_id, other_id])}
assert (stats[queue_id].total_items, stats[queue_id].completed_items) == (5, 2)
assert stats[other_id].total_items == 0

renamed = client.update_annotation_queue(queue_id, name="Looked at")
assert renamed.name == "Looked at" and renamed.description == "All of them"
assert [queue.id for queue in client.list_annotation_queues(name="LOOK")] == [queue_id]
assert len(client.list_annotation_queues()) == 2

in_queue = {"$expr": {"$eq": [{"$getField": "annotation_queue_items.queue_id"}, {"$literal": queue_id}]}}
assert sorted(call.id for call in client.get_calls(query=in_queue)) == sorted(ids)

assert client.delete_annotation_queue(other_id).deleted_at is not None
assert [queue.id for queue in client.list_annotation_queues()] == [queue_id]

print(json.dumps({"queue": queue_id, "calls": ids}))
