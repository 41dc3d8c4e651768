import { z } from 'zod';

export const ruleNames = [
  'exact_match',
  'contains',
  'regex',
  'json_schema',
  'numeric',
  'text_similarity',
  'embedding_similarity',
] as const;

const textMetrics = ['levenshtein', 'damerau', 'jaroWinkler', 'dice', 'jaccard', 'cosine', 'lcs'] as const;

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? null);

/**
 * A scorer that is a declared rule instead of code: an object of the class `RuleScorer`. It compares the output of a
 * model with the expected value, which is the row's column `expected` unless `column_map.expected` names another one.
 */
export const ruleScorerSchema = z.object({
  name: optional(z.string()),
  description: optional(z.string()),
  rule: z.enum(ruleNames),
  /** By the names `expected` and `output`: the columns of the row, or members of the output, that are compared. */
  column_map: optional(z.record(z.string(), z.string())),
  /** For texts: whether case does not matter, and whether white space around them does not. */
  ignore_case: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false),
  strip: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false),
  /** `regex`: a JavaScript regular expression that must match somewhere. Without it, the expected value is the pattern. */
  pattern: optional(z.string()),
  /** `json_schema`: without it, the expected value is the schema. */
  json_schema: optional(z.record(z.string(), z.unknown())),
  /** `numeric`: the largest allowed difference, absolute and as a part of the expected number. One of them suffices. */
  tolerance: optional(z.number().min(0)),
  relative_tolerance: optional(z.number().min(0)),
  /** `text_similarity`. */
  metric: z
    .enum(textMetrics)
    .nullish()
    .transform((value) => value ?? 'levenshtein'),
  /** Similarities: from here on, the output has passed. Without it, the score is the similarity alone. */
  threshold: optional(z.number()),
  /** `embedding_similarity`: the model that embeds both texts. */
  model: optional(z.string()),
});

export type RuleScorer = z.output<typeof ruleScorerSchema>;
