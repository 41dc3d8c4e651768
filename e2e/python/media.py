"""Pictures, sound, files, times and Markdown come back as what they were, as objects and inside of calls."""

import datetime
import io
import json
import sys
import wave
from pathlib import Path

import weave
from PIL import Image
from weave import Audio, Content, Markdown

client = weave.init(sys.argv[1])

image = Image.new("RGB", (40, 30))
image.putdata([(x * 6, y * 8, 128) for y in range(30) for x in range(40)])
gray = Image.new("L", (8, 8), 77)


def sound() -> wave.Wave_read:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(8000)
        written.writeframes(b"\x00\x01" * 800)
    buffer.seek(0)
    return wave.open(buffer)


Path("beep.wav").write_bytes(b"RIFF" + bytes(64))
raw = bytes(range(256)) * 300
Path("raw.bin").write_bytes(raw)
moment = datetime.datetime(2024, 2, 29, 12, 30, 1, 250000, tzinfo=datetime.timezone.utc)
contents = {
    "text": Content.from_text("grüezi", mimetype="text/plain", metadata={"lang": "gsw"}),
    "bytes": Content.from_bytes(raw, mimetype="application/octet-stream", extension=".bin"),
    "file": Content.from_path("raw.bin", mimetype="application/octet-stream"),
}
published = {
    "picture": weave.publish(image, "picture"),
    "sound": weave.publish(sound(), "sound"),
    "beep": weave.publish(Audio.from_path("beep.wav"), "beep"),
    "other": weave.publish({"at": moment, "words": Markdown("# Title\n\n*words*")}, "other"),
    "pictures": weave.publish(weave.Dataset(rows=[{"picture": image}, {"picture": gray}]), "pictures"),
    **{name: weave.publish(content, name) for name, content in contents.items()},
}
client.flush()  # files are uploaded beside their objects, and publishing waits for the objects alone
read = {name: ref.get() for name, ref in published.items()}

assert read["picture"].size == (40, 30) and read["picture"].tobytes() == image.tobytes()
assert read["sound"].getframerate() == 8000 and read["sound"].readframes(800) == b"\x00\x01" * 800
assert read["beep"].data == b"RIFF" + bytes(64)
assert read["other"]["at"] == moment and read["other"]["words"].markup == "# Title\n\n*words*"
assert [row["picture"].size for row in read["pictures"]] == [(40, 30), (8, 8)]
for name, content in contents.items():
    assert read[name].data == content.data and read[name].mimetype == content.mimetype, name


@weave.op
def describe(picture: Image.Image, at: datetime.datetime) -> dict:
    return {"thumbnail": picture.resize((4, 3)), "sound": sound(), "note": Markdown("**done**"), "at": at}


_, call = describe.call(image, moment)
client.flush()
stored = client.get_call(call.id)
assert stored.inputs["picture"].size == (40, 30) and stored.inputs["at"] == moment
assert stored.output["thumbnail"].size == (4, 3)
assert stored.output["sound"].getnframes() == 800
assert stored.output["note"].markup == "**done**"

print(json.dumps({"call": call.id}))
