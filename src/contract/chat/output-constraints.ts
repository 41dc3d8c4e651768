import { z } from 'zod';
import { bool, int } from '../wire.ts';

export const responseFormat = z
  .looseObject({
    type: z.enum(['text', 'json_object', 'json_schema', 'structural_tag']),
    json_schema: z
      .looseObject({
        name: z.string(),
        description: z.string().nullish(),
        schema: z.record(z.string(), z.unknown()).nullish(),
        strict: bool().nullish(),
      })
      .nullish(),
  })
  .meta({ id: 'ChatResponseFormat' });

/** Exactly one of the first six; the others configure it. */
export const structuredOutputs = z
  .object({
    json: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    regex: z.string().nullish(),
    choice: z.array(z.string()).nullish(),
    grammar: z.string().nullish(),
    json_object: bool().nullish(),
    structural_tag: z.string().nullish(),
    disable_fallback: bool().default(false),
    disable_any_whitespace: bool().default(false),
    disable_additional_properties: bool().default(false),
    whitespace_pattern: z.string().nullish(),
    _backend: z.string().nullish(),
    _backend_was_auto: bool().default(false),
  })
  .meta({ id: 'ChatStructuredOutputs' });

export const repetitionDetection = z
  .object({
    max_pattern_size: int().default(0),
    min_pattern_size: int().default(0),
    min_count: int().default(0),
  })
  .meta({ id: 'ChatRepetitionDetection' });
