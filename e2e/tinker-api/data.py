"""The sequences that the clients and PyTorch train on."""

LENGTHS = [24, 17]
PROMPT = 6
LOSSES = {
    "cross_entropy": None,
    "importance_sampling": None,
    "ppo": {"clip_low_threshold": 0.75, "clip_high_threshold": 1.3},
    "cispo": {"clip_low_threshold": 0.8, "clip_high_threshold": 1.2},
    "dro": {"beta": 0.1},
    "gspo": {"clip_low_threshold": 0.7, "clip_high_threshold": 1.4},
}
LORA = {"rank": 4, "seed": 7}
ALPHA = 32
ADAM = {
    "learning_rate": 2e-4,
    "beta1": 0.9,
    "beta2": 0.95,
    "eps": 1e-8,
    "weight_decay": 0.01,
    "grad_clip_norm": 5.0,
}
STEPS = 3


def tokens_of(sequence):
    """One more than the model is given: each token predicts the next one."""
    return [(37 * sequence + 11 * i + i * i) % 500 + 3 for i in range(LENGTHS[sequence] + 1)]


def weights_of(sequence):
    return [0.0 if i < PROMPT else 1.0 + 0.5 * (i % 3) for i in range(LENGTHS[sequence])]


def advantages_of(sequence):
    sign = 1 if sequence == 0 else -1
    return [0.0 if i < PROMPT else sign * (0.5 + 0.25 * (i % 4)) for i in range(LENGTHS[sequence])]


def old_logprobs(sequence, logprobs):
    """Of a sampler whose logprobs differ a little from those of the trainer."""
    return [logprob + 0.2 * ((i + sequence) % 5 - 2) for i, logprob in enumerate(logprobs)]


def mask_of(sequence):
    return [float(i >= PROMPT) for i in range(LENGTHS[sequence])]
