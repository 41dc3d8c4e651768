"""Trains on a Tinker server as its cookbook does: the optimizer step is sent before the gradient has come. Prints milliseconds.

python tinker_steps.py BASE_MODEL ROWS LENGTH STEPS
"""

import json
import sys
import time

import tinker
from tinker import types


def main(base_model, rows, length, steps):
    client = tinker.ServiceClient().create_lora_training_client(base_model=base_model, rank=8)
    data = []
    for row in range(rows):
        tokens = [(i * i * 7 + 31 * row + 3 * i + 1) % 1000 for i in range(length)]
        inputs = {"target_tokens": tokens[1:], "weights": [1.0] * (length - 1)}
        data.append(types.Datum(model_input=types.ModelInput.from_ints(tokens[:-1]), loss_fn_inputs=inputs))
    times = []
    for _ in range(steps + 1):
        start = time.perf_counter()
        gradient = client.forward_backward(data, "cross_entropy")
        step = client.optim_step(types.AdamParams(learning_rate=1e-4))
        gradient.result()
        step.result()
        times.append((time.perf_counter() - start) * 1000)
    print(json.dumps(times[1:]))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
