"""Publishing and reading back: dicts, typed objects, models, prompts; versions, refs into an object."""

import json
import sys

import weave

project = sys.argv[1]
client = weave.init(project)

settings = {"lr": 0.1, "whole": 1.0, "big": 12345678901234567890, "none": None, "nested": {"list": [1, {"deep": "ü"}]}}
first = weave.publish(settings, "settings")
second = weave.publish({**settings, "lr": 0.2}, "settings")
assert first.name == "settings" and first.digest != second.digest
assert first.get() == settings
assert weave.ref("settings").get()["lr"] == 0.2
assert weave.ref("settings:v0").get()["lr"] == 0.1
assert weave.ref(f"weave:///{project}/object/settings:latest").get()["lr"] == 0.2
assert weave.publish(settings, "settings").digest == first.digest

# A ref can point into an object.
assert first.with_key("nested").with_key("list").with_index(1).with_key("deep").get() == "ü"
assert weave.ref(f"{first.uri}/key/nested/key/list/index/0").get() == 1
assert weave.publish("only text", "text").get() == "only text"
assert weave.publish([1, 2, 3], "list").get() == [1, 2, 3]
assert weave.publish({"a": 1}, "my cfg!!").name == "my-cfg"


class Address(weave.Object):
    street: str


class Person(weave.Object):
    age: int
    address: Address


person = weave.publish(Person(name="ann", age=30, address=Address(street="Elm")), "ann")
read = person.get()
assert read.name == "ann" and read.age == 30 and read.address.street == "Elm"


class Doubler(weave.Model):
    factor: int = 2

    @weave.op
    def predict(self, x: int) -> int:
        return x * self.factor


doubler = Doubler(name="doubler")
assert doubler.predict(4) == 8
published = weave.publish(doubler)
assert published.get().predict(5) == 10
tripler = Doubler(name="doubler", factor=3)
assert weave.publish(tripler).digest != published.digest
assert published.get().factor == 2 and weave.ref("doubler").get().factor == 3

# One that holds another by reference, and one that is changed after it was read.
team = weave.publish({"lead": person.get(), "size": 1}, "team")
assert team.get()["lead"].age == 30
assert team.with_key("lead").with_attr("age").get() == 30

text_prompt = weave.publish(weave.StringPrompt("Say {word}!"), "text-prompt")
assert text_prompt.get().format(word="hello") == "Say hello!"
chat = weave.MessagesPrompt([{"role": "system", "content": "You are {who}."}, {"role": "user", "content": "Hi"}])
chat_prompt = weave.publish(chat, "chat-prompt")
assert chat_prompt.get().format(who="kind")[0]["content"] == "You are kind."

print(json.dumps({"settings": [first.uri, second.uri], "person": person.uri, "doubler": published.uri, "team": team.uri}))
