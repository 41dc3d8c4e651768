"""A loss that the client computes: its gradient is sent as weights.

python custom.py PROJECT
"""

import json
import sys

from data import LORA
from flows import datum, done, open_service
from tinker import types


def main(project):
    service = open_service(project)
    client = done(service.create_lora_training_client(base_model="heddle/tiny", **LORA))
    data = [datum(0, {}), datum(1, {})]

    def squares(data, logprobs):
        loss = sum((each**2).sum() for each in logprobs)
        return loss, {"squares:sum": float(loss)}

    def scored():
        outputs = client.forward(data, "cross_entropy").result().loss_fn_outputs
        return sum(logprob**2 for output in outputs for logprob in output["logprobs"].data)

    before = scored()
    result = client.forward_backward_custom(data, squares).result()
    client.optim_step(types.AdamParams(learning_rate=1e-3)).result()
    print(json.dumps({"reported": result.metrics["squares:sum"], "before": float(before), "after": float(scored())}))


if __name__ == "__main__":
    main(*sys.argv[1:])
