"""Saved views: with `save`, logs calls and saves a view of them; with `open NAME`, opens a view that the web page saved."""

import json
import sys

import weave
from weave.flow.saved_view import SavedView

project, action, *names = sys.argv[1:]
weave.init(project)


@weave.op
def answer(question: str, level: int) -> str:
    if level > 2:
        raise ValueError("too hard")
    return question.upper()


if action == "save":
    for level in range(5):
        try:
            answer(f"question (a) {level}", level)
        except ValueError:
            pass
    view = (
        SavedView("traces", "Hard questions")
        .add_filter("summary.weave.status", "equals", "error")
        .add_filter("inputs.question", "contains", "(a)")
        .add_filter("inputs.level", "<", 9)
        .add_filter("started_at", "after", "2026-01-01T00:00:00Z")
        .filter_op("answer")
        .sort_by("started_at", "asc")
        .add_columns("op_name", "inputs.question", "Status")
        .save()
    )
    print(json.dumps({"address": view.ui_url(), "calls": len(list(view.get_calls()))}))
else:
    view = SavedView.load(f"weave:///{project}/object/{names[0]}:latest")
    assert str(view)
    calls = list(view.get_calls())
    labels = [column["label"] for column in view.get_table_columns()]
    print(json.dumps({"label": view.label, "calls": [call.inputs["level"] for call in calls], "columns": labels}))
