"""Spans of an agent beside ops: an op inside a span, a span inside an op, and calls that trace a span themselves."""

import json
import sys

import weave
from opentelemetry import trace

client = weave.init(sys.argv[1])
tracer = trace.get_tracer("e2e")
provider = trace.get_tracer_provider()


@weave.op
def add(a: int, b: int) -> int:
    return a + b


@weave.op
def look_up(name: str) -> str:
    with tracer.start_as_current_span("read a page"):
        return name.upper()


def trace_as_call(span_id: str) -> None:
    inputs = {"question": "why?"}
    child = client.create_call("traced_by_sdk", inputs, parent=parent, _call_id_override=span_id, use_stack=False)
    client.finish_call(child, output="because")
    client.flush()


def id_of(span: trace.Span) -> str:
    return format(span.get_span_context().span_id, "016x")


with tracer.start_as_current_span("execute_tool add") as tool:
    add(2, 2)
_, parent = look_up.call("weft")

with tracer.start_as_current_span("call first") as call_first:
    trace_as_call(id_of(call_first))
assert provider.force_flush()

with tracer.start_as_current_span("span first") as span_first:
    pass
assert provider.force_flush()
trace_as_call(id_of(span_first))

client.flush()
print(json.dumps({"tool": id_of(tool), "covered": [id_of(call_first), id_of(span_first)]}))
