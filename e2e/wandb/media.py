"""What programs log besides numbers."""

import base64
import json
import math
import struct
import sys
import wave

import wandb
from PIL import Image

entity, project = sys.argv[1].split("/")
gif = base64.b64decode("R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=")
with open("dot.gif", "wb") as file:
    file.write(gif)
with wave.open("tone.wav", "wb") as sound:
    sound.setnchannels(1)
    sound.setsampwidth(2)
    sound.setframerate(8000)
    sound.writeframes(b"".join(struct.pack("<h", int(8000 * math.sin(i / 10))) for i in range(8000)))
with open("one.pdb", "w") as file:
    file.write("END\n")


def picture(width):
    return wandb.Image(Image.new("RGB", (width, 4), "red"), caption=f"width {width}")


run = wandb.init(entity=entity, project=project, id="media", name="pictures", config={"lr": 0.1}, notes="Why", tags=["demo"])
print("training begins")
for i in range(3):
    run.log(
        {
            "loss": [1, math.nan, 0.25][i],
            "nested": {"score": i},
            "spread": wandb.Histogram(np_histogram=([1, 2, 1 + i], [0, 1, 2, 3])),
            "picture": picture(3 + i),
            "pictures": [picture(2), picture(2)],
            "dot": wandb.Video("dot.gif", format="gif", caption=f"dot {i}"),
            "tone": wandb.Audio("tone.wav", caption="a tone"),
            "note": wandb.Html("<h1>Hi</h1>"),
            "atom": wandb.Molecule("one.pdb"),
            "answers": wandb.Table(columns=["question", "score", "seen"], data=[["What?", 0.5, picture(8)], ["Why?", 1 + i, None]]),
        }
    )
run.finish()
row = next(wandb.Api().run(f"{entity}/{project}/media").scan_history())
print(json.dumps({key: value["_type"] for key, value in row.items() if isinstance(value, dict) and "_type" in value}))
