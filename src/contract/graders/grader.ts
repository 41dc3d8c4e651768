import { z } from 'zod';
import { float, int, text } from '../wire.ts';
import { templateMessage } from './message.ts';

export const similarityMetrics = [
  'cosine',
  'fuzzy_match',
  'bleu',
  'gleu',
  'meteor',
  'rouge_1',
  'rouge_2',
  'rouge_3',
  'rouge_4',
  'rouge_5',
  'rouge_l',
] as const;

const compared = { name: text(), input: z.string(), reference: z.string() };

export const stringCheckGrader = z
  .object({ type: z.literal('string_check'), ...compared, operation: z.enum(['eq', 'ne', 'like', 'ilike']) })
  .meta({ id: 'StringCheckGrader' });

export const textSimilarityGrader = z
  .object({ type: z.literal('text_similarity'), ...compared, evaluation_metric: z.enum(similarityMetrics) })
  .meta({ id: 'TextSimilarityGrader' });

const prompted = { name: text(), model: text(), input: z.array(templateMessage).min(1) };

const samplingParams = z.object({
  // The SDKs and the guide of OpenAI use different names.
  max_completions_tokens: int().nullish(),
  max_completion_tokens: int().nullish(),
  reasoning_effort: z.string().nullish(),
  seed: int().nullish(),
  temperature: float().nullish(),
  top_p: float().nullish(),
});

export const scoreModelGrader = z
  .object({
    type: z.literal('score_model'),
    ...prompted,
    range: z.array(float()).length(2).nullish(),
    sampling_params: samplingParams.nullish(),
  })
  .meta({ id: 'ScoreModelGrader' });

export const labelModelGrader = z
  .object({
    type: z.literal('label_model'),
    ...prompted,
    labels: z.array(z.string()).min(1).max(500),
    passing_labels: z.array(z.string()).max(500),
    sampling_params: samplingParams.nullish(),
  })
  .meta({ id: 'LabelModelGrader' });

/** Its source is Python, which heddle does not run: `graderFault` reports that. */
export const pythonGrader = z
  .object({ type: z.literal('python'), name: text(), source: z.string(), image_tag: z.string().nullish() })
  .meta({ id: 'PythonGrader' });

const singleGrader = z.discriminatedUnion('type', [
  stringCheckGrader,
  textSimilarityGrader,
  scoreModelGrader,
  labelModelGrader,
  pythonGrader,
]);

export const multiGrader = z
  .object({
    type: z.literal('multi'),
    name: text(),
    /** By the names in the formula. The types of the SDKs have a single grader here, which has its own name. */
    graders: z.union([singleGrader, z.record(z.string(), singleGrader)]),
    calculate_output: z.string().max(10_000),
  })
  .meta({ id: 'MultiGrader' });

/** A grader in OpenAI's shape. Strings in double braces are templates, such as `{{ item.answer }}`. */
export const grader = z.discriminatedUnion('type', [...singleGrader.options, multiGrader]).meta({ id: 'Grader' });

export type Grader = z.output<typeof grader>;
export type SingleGrader = z.output<typeof singleGrader>;
export type GraderOf<Type extends Grader['type']> = Extract<Grader, { type: Type }>;
export type SimilarityMetric = (typeof similarityMetrics)[number];
