"""Makes testing/exports/phoenix-* with a real Phoenix server.

    pip install arize-phoenix arize-phoenix-otel
    PHOENIX_WORKING_DIR=$(mktemp -d) phoenix serve &
    python scripts/exports/make_phoenix_exports.py testing/exports new-project
"""

import json
import sys
import time
import urllib.request
from pathlib import Path

from opentelemetry.trace import Status, StatusCode
from phoenix.client import Client
from phoenix.otel import register

directory = Path(sys.argv[1])
project = sys.argv[2]
provider = register(project_name=project, batch=False, set_global_tracer_provider=False, verbose=False)
tracer = provider.get_tracer("example")

with tracer.start_as_current_span("ask", openinference_span_kind="chain") as chain:
    chain.set_attribute("session.id", "session-1")
    chain.set_input({"question": "What is 2 + 2?"})
    with tracer.start_as_current_span("search", openinference_span_kind="retriever") as retriever:
        retriever.set_input("2 + 2")
        retriever.set_attribute("retrieval.documents.0.document.content", "2 + 2 = 4")
        retriever.set_attribute("retrieval.documents.0.document.score", 0.9)
    with tracer.start_as_current_span("answer", openinference_span_kind="llm") as llm:
        llm.set_attribute("llm.model_name", "gpt-4o-mini")
        llm.set_attribute("llm.invocation_parameters", json.dumps({"temperature": 0.5}))
        llm.set_attribute("llm.input_messages.0.message.role", "user")
        llm.set_attribute("llm.input_messages.0.message.content", "What is 2 + 2?")
        llm.set_attribute("llm.output_messages.0.message.role", "assistant")
        llm.set_attribute("llm.output_messages.0.message.content", "4")
        llm.set_attribute("llm.token_count.prompt", 12)
        llm.set_attribute("llm.token_count.completion", 1)
        llm.set_attribute("llm.token_count.total", 13)
    chain.set_output("4")
with tracer.start_as_current_span("fail", openinference_span_kind="tool") as tool:
    tool.set_attribute("tags", ["a", "b"])
    tool.record_exception(ValueError("no such tool"))
    tool.set_status(Status(StatusCode.ERROR, "no such tool"))
provider.force_flush()

client = Client()
for _ in range(60):
    try:
        spans = client.spans.get_spans(project_identifier=project, limit=100)
        if len(spans) >= 4:
            break
    except Exception:
        pass
    time.sleep(1)

answer = next(span for span in spans if span["name"] == "answer")
client.spans.add_span_annotation(
    span_id=answer["context"]["span_id"],
    annotation_name="correctness",
    annotator_kind="HUMAN",
    label="correct",
    score=1.0,
    explanation="It is 4.",
    sync=True,
)
annotations = client.spans.get_span_annotations(spans=spans, project_identifier=project)
frame = client.spans.get_spans_dataframe(project_identifier=project)


def write(name: str, lines: list) -> None:
    text = "".join(json.dumps(line, default=str) + "\n" for line in lines)
    (directory / name).write_text(text)


write("phoenix-spans.jsonl", spans)
write("phoenix-annotations.jsonl", annotations)
frame.to_json(directory / "phoenix-dataframe.jsonl", orient="records", lines=True, date_format="iso")

address = f"http://127.0.0.1:6006/v1/projects/{project}/spans/otlpv1?limit=100"
(directory / "phoenix-otlp.json").write_bytes(urllib.request.urlopen(address).read())
