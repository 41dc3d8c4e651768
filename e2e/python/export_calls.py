"""Traces some calls, and exports them in two ways: as dictionaries of the client, and as the server's own lines."""

import json
import sys

import requests
import weave

project, by_client, by_server = sys.argv[1:4]
client = weave.init(project)


@weave.op
def child(x: float) -> dict:
    return {"x": x, "nothing": None}


@weave.op
def parent(text: str) -> str:
    child(1.5)
    return text.upper()


@weave.op
def failing() -> None:
    raise ValueError("no")


with weave.attributes({"run": 1}):
    _, call = parent.call("hi")
call.feedback.add_note("good")
try:
    failing()
except ValueError:
    pass
client.flush()

with open(by_client, "w") as file:
    for each in client.get_calls():
        file.write(json.dumps(each.to_dict(), default=str) + "\n")

answer = requests.post(
    f"{sys.argv[4]}/calls/stream_query",
    json={"project_id": project, "include_feedback": True, "include_costs": True},
    auth=("api", sys.argv[5]),
)
with open(by_server, "wb") as file:
    file.write(answer.content)

print(json.dumps({"ids": [each.id for each in client.get_calls()]}))
