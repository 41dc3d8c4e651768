import { gpt2Pattern, split } from './exact-pre-tokenizer.ts';
import type { Component } from './tokenizer-json.ts';

/** The pre-tokenizer, which splits text into words before merges: its steps, and the related tokenizer parts. */
export type Words = { steps: Component[]; normalizer?: Component; ignoresMerges?: boolean; addsBos?: boolean };

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const letters = '[^\\r\\n\\p{L}\\p{N}]?\\p{L}+';
const restAndSpace = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const nfc = { type: 'NFC' };

const gpt2: Words = { steps: [split(gpt2Pattern)] };
const digitsThenGpt2: Words = { steps: [split('\\p{N}'), split(gpt2Pattern)] };
const llama3: Words = {
  steps: [split(`${contractions}|${letters}|\\p{N}{1,3}|${restAndSpace}`)],
  ignoresMerges: true,
  addsBos: true,
};
const qwen2: Words = { steps: [split(`${contractions}|${letters}|\\p{N}|${restAndSpace}`)], normalizer: nfc };
const tekkenUpper = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const tekkenLower = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const tekken: Words = {
  steps: [
    split(
      `[^\\r\\n\\p{L}\\p{N}]?${tekkenUpper}*${tekkenLower}+|[^\\r\\n\\p{L}\\p{N}]?${tekkenUpper}+${tekkenLower}*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
    ),
  ],
  ignoresMerges: true,
};
const deepseek3: Words = {
  steps: [
    split('\\p{N}{1,3}'),
    split('[一-龥\u3040-ゟ゠-ヿ]+'),
    split(
      '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
    ),
  ],
};

/** By the names in GGUF files (`tokenizer.ggml.pre`); the first of several names is the one that is written. */
export const wordsByName: Record<string, Words | undefined> = {
  'gpt-2': gpt2,
  olmo: gpt2,
  'phi-2': gpt2,
  smollm: digitsThenGpt2,
  starcoder: digitsThenGpt2,
  refact: digitsThenGpt2,
  'llama-bpe': llama3,
  'llama-v3': llama3,
  llama3,
  qwen2,
  'deepseek-r1-qwen': qwen2,
  tekken,
  'deepseek-v3': deepseek3,
  superbpe: { steps: [split('\\p{N}+'), split('(?=(\\d{3})+(?!\\d))')] },
};
