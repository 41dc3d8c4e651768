"""Bedrock's Converse, instrumented by the tracer named in TRACER; its streams are not of this program."""

import os

import boto3
import common

os.environ.setdefault("AWS_ACCESS_KEY_ID", "stub")
os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "stub")

provider = common.provider("bedrock-app")
if os.environ["TRACER"] == "openinference":
    from openinference.instrumentation.bedrock import BedrockInstrumentor
else:
    from opentelemetry.instrumentation.bedrock import BedrockInstrumentor
BedrockInstrumentor().instrument(tracer_provider=provider)
client = boto3.client("bedrock-runtime", endpoint_url=common.model_url, region_name="us-east-1")
tracer = provider.get_tracer("app")
schema = {"json": {"type": "object", "properties": {"city": {"type": "string"}}}}
tools = [{"toolSpec": {"name": name, "description": name, "inputSchema": schema}} for name in common.functions]
asked = {"modelId": "anthropic.claude-3-5-haiku-20241022-v1:0", "system": [{"text": common.instructions}]}


def user(*content: dict) -> dict:
    return {"role": "user", "content": list(content)}


def result_of(use: dict) -> dict:
    text = common.call_tool(tracer, use["name"], use["input"], use["toolUseId"])
    return {"toolResult": {"toolUseId": use["toolUseId"], "content": [{"text": text}]}}


with tracer.start_as_current_span("answer", attributes=common.who):
    messages = [user({"text": common.question})]
    while True:
        message = client.converse(**asked, messages=messages, toolConfig={"tools": tools})["output"]["message"]
        uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        if not uses:
            break
        messages += [message, user(*map(result_of, uses))]

with tracer.start_as_current_span("answer", attributes=common.who):
    client.converse(**asked, messages=[user({"text": common.next_question})])
provider.shutdown()
