"""Writes small models of random weights, as Hugging Face folders and as GGUF files, with the logits of `transformers`.

python architectures.py OUT_FOLDER
"""

import copy
import json
import os
import shutil
import sys

import gguf
import numpy
import torch
from transformers import (
    AutoModelForCausalLM,
    Gemma2Config,
    Gemma3TextConfig,
    LlamaConfig,
    MistralConfig,
    MixtralConfig,
    Olmo2Config,
    Phi3Config,
    Qwen2Config,
    Qwen3Config,
    Qwen3MoeConfig,
    SmolLM3Config,
)
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

SIZES = dict(
    vocab_size=48,
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=256,
    bos_token_id=1,
    eos_token_id=2,
    pad_token_id=0,
)
LLAMA3 = dict(
    rope_type="llama3",
    rope_theta=500.0,
    factor=4.0,
    low_freq_factor=1.0,
    high_freq_factor=4.0,
    original_max_position_embeddings=32,
)
YARN = dict(rope_type="yarn", rope_theta=1000.0, factor=4.0, original_max_position_embeddings=32)
LONGROPE = dict(
    rope_type="longrope",
    rope_theta=1e4,
    partial_rotary_factor=0.75,
    original_max_position_embeddings=64,
    short_factor=[1.0, 1.05, 1.1, 1.2, 1.4, 1.9],
    long_factor=[1.0, 1.5, 2.0, 4.0, 8.0, 16.0],
)
LONG_CONTEXT = dict(
    num_attention_heads=2,
    num_key_value_heads=1,
    sliding_window=None,
    rope_parameters=LONGROPE,
    original_max_position_embeddings=64,
)
GEMMA = dict(head_dim=8, query_pre_attn_scalar=8, sliding_window=9, num_hidden_layers=3)
SMALL_LAYERS = dict(intermediate_size=24)
MOE = dict(num_experts=6, num_experts_per_tok=2, moe_intermediate_size=24, head_dim=16)
WINDOWED = dict(use_sliding_window=True, sliding_window=7, max_window_layers=1)

MODELS = {
    "llama": (LlamaConfig(**SIZES, tie_word_embeddings=True), {}),
    "llama-biased": (LlamaConfig(**SIZES, attention_bias=True, mlp_bias=True, head_dim=16), {}),
    "llama3-rope": (LlamaConfig(**SIZES, rope_parameters=LLAMA3), {"dtype": torch.bfloat16}),
    "linear-rope": (LlamaConfig(**SIZES, rope_parameters=dict(rope_type="linear", rope_theta=1e4, factor=3.0)), {}),
    "mistral": (MistralConfig(**SIZES, sliding_window=None), {"dtype": torch.float16}),
    "mistral-window": (MistralConfig(**SIZES, sliding_window=9), {}),
    "qwen2": (Qwen2Config(**SIZES, tie_word_embeddings=True), {"shards": "20KB"}),
    "qwen2-window": (Qwen2Config(**SIZES, **WINDOWED, rope_parameters=YARN), {}),
    "qwen3": (Qwen3Config(**SIZES, head_dim=16, tie_word_embeddings=True), {}),
    "smollm3": (SmolLM3Config(**SIZES | SMALL_LAYERS | dict(num_hidden_layers=4)), {}),
    "olmo2": (Olmo2Config(**SIZES), {}),
    "phi3": (Phi3Config(**SIZES, sliding_window=None), {}),
    "phi3-longrope": (Phi3Config(**SIZES | LONG_CONTEXT, tie_word_embeddings=True), {}),
    "gemma2": (Gemma2Config(**SIZES | GEMMA, attn_logit_softcapping=3.0, final_logit_softcapping=5.0), {}),
    "gemma3": (Gemma3TextConfig(**SIZES | GEMMA | SMALL_LAYERS | dict(num_hidden_layers=6)), {}),
    "mixtral": (MixtralConfig(**SIZES, num_local_experts=4, num_experts_per_tok=2, sliding_window=None), {}),
    "qwen3-moe": (Qwen3MoeConfig(**SIZES, **MOE, norm_topk_prob=True), {}),
    "qwen3-moe-sparse": (Qwen3MoeConfig(**SIZES, **MOE, norm_topk_prob=False, mlp_only_layers=[0]), {}),
}
GGUF = {
    "llama": gguf.MODEL_ARCH.LLAMA,
    "llama3-rope": gguf.MODEL_ARCH.LLAMA,
    "qwen2": gguf.MODEL_ARCH.QWEN2,
    "qwen3": gguf.MODEL_ARCH.QWEN3,
    "smollm3": gguf.MODEL_ARCH.SMOLLM3,
    "olmo2": gguf.MODEL_ARCH.OLMO2,
    "gemma2": gguf.MODEL_ARCH.GEMMA2,
    "gemma3": gguf.MODEL_ARCH.GEMMA3,
}


def main(out):
    for name, (config, options) in MODELS.items():
        torch.manual_seed(7)
        folder = os.path.join(out, name)
        shutil.rmtree(folder, ignore_errors=True)
        model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
        dtype = options.get("dtype", torch.float32)
        shake(model, dtype)
        copy.deepcopy(model).to(dtype).save_pretrained(folder, max_shard_size=options.get("shards", "1GB"))
        remove(os.path.join(folder, "generation_config.json"))
        write_reference(model, os.path.join(folder, "reference.json"))
        if name in GGUF:
            write_gguf(model, config, GGUF[name], os.path.join(folder, "model.gguf"))


def shake(model, dtype):
    """Norms and biases start as ones and zeros, which would hide that they are left out."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * (0.25 if parameter.dim() >= 2 else 0.5))
            if parameter.dim() == 1 and not model.config.model_type.startswith("gemma"):
                parameter.add_(1.0)  # Gemma adds it itself
            parameter.copy_(parameter.to(dtype))


@torch.no_grad()
def write_reference(model, path):
    tokens = [(i * i * 7 + 3 * i + 1) % SIZES["vocab_size"] for i in range(40)]
    logits = model(input_ids=torch.tensor([tokens]), use_cache=False).logits[0]
    rows = [[float(f"{value:.7g}") for value in row.tolist()] for row in logits]
    with open(path, "w") as stream:
        json.dump({"tokens": tokens, "logits": rows}, stream, separators=(",", ":"))
        stream.write("\n")


def write_gguf(model, config, kind, path):
    arch = gguf.MODEL_ARCH_NAMES[kind]
    rope = config.rope_parameters.get("full_attention", config.rope_parameters)
    writer = gguf.GGUFWriter(path, arch)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(rope["rope_theta"])
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    if arch.startswith("gemma"):
        writer.add_sliding_window(config.sliding_window)
    if arch == "gemma2":
        writer.add_attn_logit_softcapping(config.attn_logit_softcapping)
        writer.add_final_logit_softcapping(config.final_logit_softcapping)
    names = gguf.get_tensor_name_map(kind, config.num_hidden_layers)
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        values = tensor.numpy()
        if arch.startswith("gemma") and "norm" in name:
            values = values + 1  # as llama.cpp's converter stores them
        if arch in ("llama", "smollm3") and ".q_proj." in name:
            values = permute(values, config.num_attention_heads)
        if arch in ("llama", "smollm3") and ".k_proj." in name:
            values = permute(values, config.num_key_value_heads)
        writer.add_tensor(names.get_name(name, (".weight", ".bias")), numpy.ascontiguousarray(values))
    if rope["rope_type"] == "llama3":
        scaled, _ = ROPE_INIT_FUNCTIONS["llama3"](config, "cpu")
        plain = rope["rope_theta"] ** -(torch.arange(0, head_dim, 2) / head_dim)
        writer.add_tensor("rope_freqs.weight", (plain / scaled).float().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def permute(values, heads):
    """As llama.cpp's converter stores queries and keys of Llama models."""
    return values.reshape(heads, 2, values.shape[0] // heads // 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


def remove(path):
    if os.path.exists(path):
        os.remove(path)


main(sys.argv[1])
