"""A client that trains a step, and ends without a word.

python dies.py PROJECT
"""

import json
import os
import sys

from data import ADAM, LORA
from flows import datum, done, open_service
from tinker import types


def main(project):
    service = open_service(project)
    client = done(service.create_lora_training_client(base_model="heddle/tiny", **LORA))
    client.forward_backward([datum(0, {}), datum(1, {})], "cross_entropy").result()
    client.optim_step(types.AdamParams(**ADAM)).result()
    print(json.dumps({"model": client.model_id}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
