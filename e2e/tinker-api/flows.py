"""What programs do with the Tinker client, in its own words. Prints a report.

python flows.py PROJECT
"""

import io
import json
import sys
import tarfile
import urllib.request

import numpy
import tinker
from data import (
    ADAM,
    LENGTHS,
    LORA,
    LOSSES,
    STEPS,
    advantages_of,
    mask_of,
    old_logprobs,
    tokens_of,
    weights_of,
)
from safetensors.numpy import load
from tinker import types

IS_NEW = hasattr(tinker.ServiceClient, "close")


def main(project):
    service = open_service(project)
    report = {name: train(service, name, config) for name, config in LOSSES.items()}
    client = create(service)
    report["sampling"] = sampling(service, client)
    report["saving"] = saving(service, client)
    report["refusals"] = refusals(service)
    report["paths"] = [path for path, _ in saved]
    if IS_NEW:
        service.close("success").result()
    print(json.dumps(report))


def open_service(project):
    headers = {"X-Heddle-Project": project}
    if IS_NEW:
        return tinker.ServiceClient(default_headers_overrides=headers)
    return tinker.ServiceClient(default_headers=headers)


def done(value):
    """Newer clients return futures."""
    return value.result() if hasattr(value, "result") else value


def create(service):
    return done(service.create_lora_training_client(base_model="heddle/tiny", **LORA))


def datum(sequence, inputs):
    tokens = tokens_of(sequence)
    return types.Datum(
        model_input=types.ModelInput.from_ints(tokens[:-1]),
        loss_fn_inputs={"target_tokens": tokens[1:], **inputs},
    )


def data_of(client, name):
    sequences = range(len(LENGTHS))
    if name == "cross_entropy":
        return [datum(i, {"weights": weights_of(i)}) for i in sequences]
    scored = logprobs_of(client)
    masks = [{"sequence_ratio_mask": mask_of(i)} if name == "gspo" and IS_NEW else {} for i in sequences]
    return [
        datum(i, {"logprobs": old_logprobs(i, scored[i]), "advantages": advantages_of(i), **masks[i]})
        for i in sequences
    ]


def logprobs_of(client):
    data = [datum(i, {"weights": weights_of(i)}) for i in range(len(LENGTHS))]
    outputs = client.forward(data, "cross_entropy").result().loss_fn_outputs
    return [output["logprobs"].data for output in outputs]


saved = []


def train(service, name, config):
    client = create(service)
    data = data_of(client, name)
    losses, norms = [], []
    for _ in range(STEPS):
        trained = client.forward_backward(data, name, config)
        stepped = client.optim_step(types.AdamParams(**ADAM))
        losses.append(trained.result().metrics["loss:sum"])
        norms.append(stepped.result().metrics["heddle/grad_norm"])
    path = client.save_weights_for_sampler("trained").result().path
    saved.append((path, client))
    result = {"losses": losses, "norms": norms, "logprobs": logprobs_of(client), "weights": weights(service, client)}
    unload(client)
    return result


def unload(client):
    """Models in training are limited. Newer clients have no method for it."""

    async def ask():
        with client.holder.aclient(tinker.lib.client_connection_pool_type.ClientConnectionPoolType.TRAIN) as pool:
            return await pool.post("/api/v1/unload_model", body={"model_id": client.model_id}, cast_to=object)

    client.holder.run_coroutine_threadsafe(ask()).result()


def weights(service, client):
    """The adapter as it is downloaded: file by file, or as an archive."""
    rest = service.create_rest_client()
    if IS_NEW:
        path = client.save_weights_external("downloaded").result().path
        urls = rest.get_external_weights_urls(path).result().urls
        content = urllib.request.urlopen(urls["adapter_model.safetensors"]).read()
    else:
        path = client.save_weights_for_sampler("downloaded").result().path
        url = rest.get_checkpoint_archive_url_from_tinker_path(path).result().url
        archive = tarfile.open(fileobj=io.BytesIO(urllib.request.urlopen(url).read()))
        assert sorted(archive.getnames()) == ["adapter_config.json", "adapter_model.safetensors"]
        content = archive.extractfile("adapter_model.safetensors").read()
    tensors = load(content)
    stem = "base_model.model.model.layers.1.self_attn.q_proj"
    return {part: tensors[f"{stem}.lora_{part.upper()}.weight"].flatten()[:64].tolist() for part in "ab"}


def sampling(service, client):
    sampler = done(client.save_weights_and_get_sampling_client())
    prompt = types.ModelInput.from_ints(tokens_of(0)[:10])
    params = types.SamplingParams(max_tokens=8, seed=11, temperature=0.7, stop=[])
    first, second = [
        sampler.sample(prompt, 2, params, include_prompt_logprobs=True, topk_prompt_logprobs=3).result()
        for _ in range(2)
    ]
    sequence = first.sequences[0]
    tokens = tokens_of(0)[:10] + sequence.tokens
    scored = types.Datum(
        model_input=types.ModelInput.from_ints(tokens[:-1]),
        loss_fn_inputs={"target_tokens": tokens[1:]},
    )
    trainer = client.forward([scored], "cross_entropy").result().loss_fn_outputs[0]["logprobs"].data
    computed = sampler.compute_logprobs(types.ModelInput.from_ints(tokens)).result()
    stopped = types.SamplingParams(max_tokens=8, seed=11, temperature=0.7, stop=[sequence.tokens[2]])
    ended = sampler.sample(prompt, 1, stopped).result().sequences[0]
    base = done(service.create_sampling_client(base_model="heddle/tiny"))
    text = base.sample(prompt, 1, types.SamplingParams(max_tokens=3, temperature=0)).result().sequences[0]
    return {
        "repeats": [each.tokens for each in first.sequences] == [each.tokens for each in second.sequences],
        "differ": first.sequences[0].tokens != first.sequences[1].tokens,
        "ids": len({getattr(each, "sequence_id", i) for i, each in enumerate(first.sequences)}),
        "reasons": [sequence.stop_reason, ended.stop_reason],
        "stopped": ended.tokens == sequence.tokens[: sequence.tokens.index(sequence.tokens[2]) + 1],
        "sampled apart": apart(sequence.logprobs, trainer[9:]),
        "prompt apart": apart(first.prompt_logprobs[1:], trainer[:9]),
        "computed apart": apart(computed[1:], trainer),
        "first": first.prompt_logprobs[0],
        "top": [len(top) if top else None for top in first.topk_prompt_logprobs],
        "best first": all(top[0][1] >= top[1][1] for top in first.topk_prompt_logprobs[1:]),
        "of base": len(text.tokens),
    }


def apart(one, other):
    return float(numpy.max(numpy.abs(numpy.array(one) - numpy.array(other))))


def saving(service, client):
    data = data_of(client, "cross_entropy")

    def steps(trained):
        losses = []
        for _ in range(2):
            pending = trained.forward_backward(data, "cross_entropy")
            trained.optim_step(types.AdamParams(**ADAM)).result()
            losses.append(pending.result().metrics["loss:sum"])
        return losses

    steps(client)
    state = client.save_state("state").result().path
    expected = steps(client)
    resumed = done(service.create_training_client_from_state_with_optimizer(state))
    with_optimizer = steps(resumed)
    unload(resumed)
    anew = done(service.create_training_client_from_state(state))
    without = steps(anew)
    unload(anew)
    rest = service.create_rest_client()
    listed = [each.checkpoint_id for each in rest.list_checkpoints(client.model_id).result().checkpoints]
    rest.delete_checkpoint_from_tinker_path(state).result()
    left = [each.checkpoint_id for each in rest.list_checkpoints(client.model_id).result().checkpoints]
    runs = [run.training_run_id for run in rest.list_training_runs().result().training_runs]
    return {
        "expected": expected,
        "with optimizer": with_optimizer,
        "without": without,
        "listed": listed,
        "left": left,
        "in runs": client.model_id in runs,
    }


def refusals(service):
    found = {}

    def attempt(name, work):
        try:
            work()
            found[name] = None
        except Exception as error:
            found[name] = str(error)

    data = [datum(0, {"weights": weights_of(0)})]
    for name in ["stable_reinforce", "custom"]:
        client = create(service)
        attempt(name, lambda client=client, name=name: client.forward_backward(data, name).result())
        unload(client)
    client = create(service)
    long = types.Datum(
        model_input=types.ModelInput.from_ints([5] * 1500), loss_fn_inputs={"target_tokens": [5] * 1500}
    )
    attempt("long", lambda: client.forward_backward([long], "cross_entropy").result())
    unload(client)
    attempt("base", lambda: done(service.create_lora_training_client(base_model="no/such")))
    attempt("path", lambda: done(service.create_training_client_from_state("tinker://x/weights/y")))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
