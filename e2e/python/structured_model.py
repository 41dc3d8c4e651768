"""Models of the SDK that answer through the server: `LLMStructuredCompletionModel` and its errors, and a linked prompt."""

import json
import sys

import weave
from weave.flow.llm_structured_model import LLMStructuredCompletionModel
from weave.trace.builtin_object_classes.provider import Provider, ProviderModel

client = weave.init(sys.argv[1])

model = LLMStructuredCompletionModel(
    name="greeter",
    llm_model_id="heddle/tiny",
    default_params={
        "messages_template": [{"role": "system", "content": "Greet {name}."}],
        "temperature": 0,
        "max_tokens": 8,
        "response_format": "text",
    },
)
text = model.predict(user_input="Hello", name="Ann")

prompt = weave.MessagesPrompt([{"role": "user", "content": "Greet {name}."}])
ref = weave.publish(prompt, name="greeting")
with_prompt = LLMStructuredCompletionModel(
    name="prompted",
    llm_model_id="heddle/tiny",
    default_params={"prompt": ref.uri(), "temperature": 0, "max_tokens": 8, "response_format": "text"},
)
prompted = with_prompt.predict(name="Ann")

unknown = LLMStructuredCompletionModel(
    name="unknown", llm_model_id="no-such-model", default_params={"response_format": "text"}
)
try:
    unknown.predict(user_input="Hello")
    error = None
except Exception as raised:
    error = str(raised)

provider = weave.publish(
    Provider(name="acme", base_url="https://llm.example.com/v1", api_key_name="ACME_KEY"), name="acme"
)
weave.publish(ProviderModel(name="large", provider=provider.uri(), max_tokens=4096), name="acme-large")
own = LLMStructuredCompletionModel(
    name="own", llm_model_id="custom::acme::large", default_params={"response_format": "text"}
)
try:
    own.predict(user_input="Hello")
    without_key = None
except Exception as raised:
    without_key = str(raised)

linked = weave.link_prompt_to_registry(ref, target_path="wandb-registry-prompts/greetings", aliases=["prod"])

stream = list(
    client.server.completions_create_stream(
        {
            "project_id": sys.argv[1],
            "inputs": {"model": "heddle/tiny", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 4},
        }
    )
)
client.flush()

print(
    json.dumps(
        {
            "text": text,
            "prompted": prompted,
            "error": error,
            "without_key": without_key,
            "version_index": linked.version_index,
            "stream": stream,
        }
    )
)
