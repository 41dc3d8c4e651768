import type { GatheredChoice } from '../../../chat/answers/gathered.ts';
import type { Accepted, GenerationSettings, ModelReference } from '../../../chat/types.ts';
import { JsonText } from '../../../util/json/json-text.ts';
import { toJson } from '../../../util/json/write.ts';
import { type PolicyAssignment, recordedByPolicy } from '../../policies/policy-assignment.ts';
import type { CompletionRecord } from '../record.ts';
import { recordedDraws } from './recorded-draws.ts';

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

/**
 * How the model was chosen for an answer. Where a name stands for one model, its probability is 1.
 */
export type Assignment = PlainAssignment | PolicyAssignment;

type PlainAssignment = {
  kind: 'plain';
  /** The name that was asked for. */
  policy: string;
  /** What is assigned as a whole: all requests of a thread, or this one alone. */
  unit: 'thread' | 'request';
};

export function recordOf(model: ModelReference, assignment: Assignment, answer: RecordedAnswer): CompletionRecord {
  return {
    output: toJson(answer.output()),
    attributes: attributesOf(model, assignment, answer),
    summary: { usage: { [model.name]: { requests: 1, ...answer.usage } } },
  };
}

export function attributesOf(
  { id, name, adapter }: ModelReference,
  assignment: Assignment,
  { attributes }: RecordedAnswer,
): Record<string, unknown> {
  const model = { id, name, adapter: adapter?.id ?? null };
  return { heddle: { model, assignment: recordedAssignment(assignment, name), ...attributes() } };
}

export function recordedAssignment(assignment: Assignment, model: string): Record<string, unknown> {
  if (assignment.kind === 'policy') return recordedByPolicy(assignment);
  const { policy, unit } = assignment;
  return { policy, version: null, variant: model, unit, probability: 1 };
}

/** What cannot be found out later: how the tokens of an answer were drawn, by which engine, with which files. */
export function recordedOrigin(
  { draws, origin }: Pick<Accepted, 'draws' | 'origin'>,
  choices: readonly Pick<GatheredChoice, 'drawnLogprobs'>[],
): Record<string, unknown> {
  const drawn = choices.map(({ drawnLogprobs }) => drawnLogprobs);
  return { ...origin, draws: recordedDraws(draws, drawn) };
}

/** The values that an answer was sampled with, whoever gave them. The seed keeps its digits. */
export function recordedSampling(settings: GenerationSettings): Record<string, unknown> {
  return { ...settings, seed: recordedSeed(settings) };
}

export function recordedSeed({ seed }: GenerationSettings): JsonText | null {
  return seed === null ? null : new JsonText(String(seed));
}
