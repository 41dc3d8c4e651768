import type { SamplingParameters } from './parameters.ts';

/** The tokens of a sequence with their counts in the output, for penalties. Tokens only in the prompt have 0. */
export type SeenTokens = ReadonlyMap<number, number>;

/** Forbids tokens that a grammar does not allow: bit `id` of the mask is set for allowed ones, lowest bit first. */
export function applyMask(logits_V: Float32Array, mask: Int32Array): void {
  for (let word = 0; word * 32 < logits_V.length; word++) {
    const bits = mask[word] ?? 0;
    if (bits === -1) continue;
    const start = word * 32;
    if (bits === 0) {
      logits_V.fill(-Infinity, start, start + 32);
      continue;
    }
    const end = Math.min(start + 32, logits_V.length);
    for (let id = start; id < end; id++) if (((bits >>> (id - start)) & 1) === 0) logits_V[id] = -Infinity;
  }
}

/** Steps 3 to 7 of the pipeline, in place: allowed ids, bad words, min tokens, bias, penalties. */
export function adjustLogits(
  logits_V: Float32Array,
  parameters: SamplingParameters,
  output: readonly number[],
  seen: SeenTokens,
): void {
  if (parameters.allowedTokenIds) keepOnly(logits_V, parameters.allowedTokenIds);
  for (const word of parameters.badWords) {
    if (endsWith(output, word.slice(0, -1))) logits_V[word.at(-1)!] = -Infinity;
  }
  if (output.length < parameters.minTokens) {
    for (const id of parameters.endTokenIds) logits_V[id] = -Infinity;
  }
  for (const [id, bias] of parameters.logitBias) logits_V[id]! += bias;
  penalise(logits_V, parameters, seen);
}

/** Whether `adjustLogits` can have an effect, now or later. */
export function hasAdjustments(parameters: SamplingParameters): boolean {
  return (
    parameters.allowedTokenIds !== null ||
    parameters.badWords.length > 0 ||
    parameters.minTokens > 0 ||
    parameters.logitBias.length > 0 ||
    hasPenalties(parameters)
  );
}

export function hasPenalties(parameters: SamplingParameters): boolean {
  const { frequencyPenalty, presencePenalty, repetitionPenalty } = parameters;
  return frequencyPenalty !== 0 || presencePenalty !== 0 || repetitionPenalty !== 1;
}

function penalise(logits_V: Float32Array, parameters: SamplingParameters, seen: SeenTokens): void {
  if (!hasPenalties(parameters)) return;
  const { frequencyPenalty, presencePenalty, repetitionPenalty } = parameters;
  for (const [id, count] of seen) {
    let logit = logits_V[id];
    if (logit === undefined) continue;
    logit = logit > 0 ? logit / repetitionPenalty : logit * repetitionPenalty;
    logits_V[id] = logit - frequencyPenalty * count - (count > 0 ? presencePenalty : 0);
  }
}

function keepOnly(logits_V: Float32Array, ids: readonly number[]): void {
  const kept = ids.map((id) => logits_V[id]!);
  logits_V.fill(-Infinity);
  for (const [index, id] of ids.entries()) logits_V[id] = kept[index]!;
}

function endsWith(output: readonly number[], prefix: readonly number[]): boolean {
  const start = output.length - prefix.length;
  return start >= 0 && prefix.every((id, index) => output[start + index] === id);
}
