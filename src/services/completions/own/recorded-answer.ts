import type { GenerationSettings, ModelReference } from '../../../chat/types.ts';
import { JsonText } from '../../../util/json/json-text.ts';
import { toJson } from '../../../util/json/write.ts';
import type { CompletionRecord } from '../record.ts';

/** What is recorded of an answer. */
export type RecordedAnswer = {
  /** With all tokens, requested or not. */
  output(): unknown;
  /** Beside the model, in `attributes.heddle`. */
  attributes(): Record<string, unknown>;
  /** The counts of tokens, under the names that the endpoint uses. */
  usage: Record<string, number>;
  /** About how much memory it takes. */
  bytes: number;
};

export function recordOf(model: ModelReference, answer: RecordedAnswer): CompletionRecord {
  return {
    output: toJson(answer.output()),
    attributes: attributesOf(model, answer),
    summary: { usage: { [model.name]: { requests: 1, ...answer.usage } } },
  };
}

export function attributesOf({ id, name }: ModelReference, { attributes }: RecordedAnswer): Record<string, unknown> {
  return { heddle: { model: { id, name }, ...attributes() } };
}

/** The values that an answer was sampled with, whoever gave them. The seed keeps its digits. */
export function recordedSampling(settings: GenerationSettings): Record<string, unknown> {
  return { ...settings, seed: recordedSeed(settings) };
}

export function recordedSeed({ seed }: GenerationSettings): JsonText {
  return new JsonText(String(seed));
}
