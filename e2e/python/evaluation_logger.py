"""An evaluation whose predictions and scores are logged one by one."""

import json
import sys

import weave

client = weave.init(sys.argv[1])

log = weave.EvaluationLogger(name="by hand", model="gpt-x", dataset="questions")
for question, answer, points in [("a", "A", 1.0), ("b", "B", 0.5)]:
    prediction = log.log_prediction(inputs={"question": question}, output=answer)
    prediction.log_score(scorer="points", score=points)
    prediction.log_score(scorer="checks", score={"ok": points == 1.0})
    prediction.finish()
log.set_view("report", "# Report", extension="md")
log.log_summary({"note": "done"})
client.flush()

print(json.dumps({"root": log._evaluate_call.id}))
