"""Gets a prompt that the web page saved, and fills its variable."""

import json
import sys

import weave

project, name = sys.argv[1:]
weave.init(project)
prompt = weave.ref(name).get()
assert isinstance(prompt, weave.MessagesPrompt), type(prompt)
print(json.dumps({"messages": prompt.format(x="kiwi")}))
