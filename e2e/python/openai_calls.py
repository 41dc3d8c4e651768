"""Calls of the openai SDK are traced without a word of ours, streamed ones too, with the tokens they used."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import weave
from openai import OpenAI


class FakeModel(BaseHTTPRequestHandler):
    """Answers every chat completion with the same two words."""

    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if asked.get("stream"):
            body, kind = "".join(self.chunks()), "text/event-stream"
        else:
            message = {"role": "assistant", "content": "hello there"}
            body = json.dumps(self.completion("chat.completion", message=message, usage=self.usage))
            kind = "application/json"
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def chunks(self):
        for word in ["hello", " there"]:
            yield self.event(self.completion("chat.completion.chunk", delta={"role": "assistant", "content": word}))
        yield self.event({**self.completion("chat.completion.chunk", delta={}), "choices": [], "usage": self.usage})
        yield "data: [DONE]\n\n"

    def completion(self, kind: str, usage=None, **choice):
        choices = [{"index": 0, "finish_reason": "stop", **choice}]
        return {"id": "c1", "object": kind, "created": 1, "model": "toy-1", "choices": choices, "usage": usage}

    def event(self, value: dict) -> str:
        return f"data: {json.dumps(value)}\n\n"

    def log_message(self, *_):
        pass


model = ThreadingHTTPServer(("127.0.0.1", 0), FakeModel)
threading.Thread(target=model.serve_forever, daemon=True).start()

client = weave.init(sys.argv[1])
openai = OpenAI(base_url=f"http://127.0.0.1:{model.server_port}/v1", api_key="sk-not-a-key")
messages = [{"role": "user", "content": "say hello"}]


@weave.op
def greet() -> str:
    return openai.chat.completions.create(model="toy-1", messages=messages).choices[0].message.content


assert greet() == "hello there"
streamed = openai.chat.completions.create(
    model="toy-1", messages=messages, stream=True, stream_options={"include_usage": True}
)
assert "".join(chunk.choices[0].delta.content or "" for chunk in streamed if chunk.choices) == "hello there"
client.flush()

roots = list(client.get_calls(filter={"trace_roots_only": True}, sort_by=[{"field": "started_at", "direction": "asc"}]))
usages = [call.summary["usage"]["toy-1"] for call in roots]
assert [usage["total_tokens"] for usage in usages] == [7, 7], usages

print(json.dumps({"roots": [call.id for call in roots]}))
