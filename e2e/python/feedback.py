"""Reactions, notes, structured feedback, annotations and scores, written and read back through the client."""

import asyncio
import json
import sys

import weave

project = sys.argv[1]
client = weave.init(project)


@weave.op
def answer(question: str) -> str:
    return question.upper()


class Length(weave.Scorer):
    @weave.op
    def score(self, output: str) -> dict:
        return {"length": len(output)}


@weave.op
def loud(output: str) -> bool:
    return output.isupper()


_, one = answer.call("one")
_, two = answer.call("three")
client.flush()

thumb = one.feedback.add_reaction("👍🏽", creator="a reviewer")
one.feedback.add_reaction("🎉")
note = one.feedback.add_note("looks good")
one.feedback.add("correctness", {"value": 4, "nested": {"by": ["a", 1.5, None]}})

client.flush()  # feedback is sent in the background, as calls are
read = list(one.feedback)
types = [each.feedback_type for each in read]
assert types == ["wandb.reaction.1", "wandb.reaction.1", "wandb.note.1", "correctness"], read
assert read[0].id == thumb and read[0].creator == "a reviewer"
assert read[0].payload["alias"] == ":thumbs_up_medium_skin_tone:", read[0].payload
assert read[0].payload["detoned"] == "👍"
assert read[3].payload == {"value": 4, "nested": {"by": ["a", 1.5, None]}}, read[3].payload
assert read[2].weave_ref == one.ref.uri and len(one.feedback.refs()) == 1

one.feedback.purge(note)
assert len(one.feedback) == 3

assert len(client.get_feedback()) == 3
assert [each.id for each in client.get_feedback(thumb)] == [thumb]
assert [each.id for each in client.get_feedback(reaction="👍🏽")] == [thumb]
assert len(client.get_feedback(limit=1, offset=1)) == 1
correct = {"$expr": {"$gt": [{"$getField": "payload.value"}, {"$literal": 3}]}}
assert len(client.get_feedback(query=correct)) == 1

spec = weave.AnnotationSpec(name="grade", field_schema={"type": "integer", "minimum": 1, "maximum": 5})
spec_ref = weave.publish(spec, "grade")
two.feedback.add("wandb.annotation.grade", {"value": 5}, annotation_ref=spec_ref.uri)
for call in (one, two):
    scored = asyncio.run(call.apply_scorer(Length()))
    assert scored.result == {"length": len(call.output)}, scored
    asyncio.run(call.apply_scorer(loud))
client.flush()


def asked(expression: dict) -> list:
    return [call.id for call in client.get_calls(query={"$expr": expression})]


def field(name: str) -> dict:
    return {"$getField": name}


long = {"$gt": [field("feedback.[wandb.runnable.Length].payload.output.length"), {"$literal": 4}]}
assert asked(long) == [two.id]
assert asked({"$eq": [field("feedback.[wandb.reaction.1].payload.emoji"), {"$literal": "🎉"}]}) == [one.id]
by_length = [{"field": "feedback.[wandb.runnable.Length].payload.output.length", "direction": "desc"}]
answers = {"op_names": [answer.ref.uri]}
assert [call.id for call in client.get_calls(filter=answers, sort_by=by_length)] == [two.id, one.id]

with_feedback = list(client.get_calls(filter=answers, include_feedback=True))
given = [[row["feedback_type"] for row in call.summary["weave"]["feedback"]] for call in with_feedback]

print(json.dumps({"given": given, "one": one.id}))
