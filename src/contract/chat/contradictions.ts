/** The fields that are checked together. */
type Fields = {
  logprobs: boolean | null;
  top_logprobs: number | null;
  prompt_logprobs: number | null;
  stream: boolean | null;
  stream_options: Record<string, unknown> | null;
  response_format: { type: string; json_schema?: unknown } | null;
  structured_outputs: Record<string, unknown> | null;
  add_generation_prompt?: boolean;
  continue_final_message: boolean;
  cache_salt: string | null;
  repetition_detection: { max_pattern_size: number; min_pattern_size: number; min_count: number } | null;
};

type Contradiction = { path: string[]; message: string };

/** Errors in a request whose fields are individually valid: the rules that return a 422 instead of a 400. */
export function contradictions(request: Fields): Contradiction[] {
  return rules.flatMap((rule) => rule(request) ?? []);
}

const rules: ((request: Fields) => Contradiction | null)[] = [
  ({ stream, stream_options: options }) => {
    if (options && Object.keys(options).length > 0 && !stream)
      return whole('stream_options can only be set when stream is true');
    if (options?.continuous_usage_stats && !options.include_usage)
      return whole('continuous_usage_stats needs include_usage');
    return null;
  },
  ({ logprobs, top_logprobs: top }) => {
    if (top === null || top === 0) return null;
    if (top < -1) return whole('top_logprobs must be -1, 0 or more');
    return logprobs ? null : whole('top_logprobs needs logprobs to be true');
  },
  ({ prompt_logprobs: prompt, stream }) => {
    if (prompt === null || prompt === 0) return null;
    if (prompt < -1) return whole('prompt_logprobs must be -1, 0 or more');
    return stream ? whole('prompt_logprobs cannot be streamed') : null;
  },
  ({ response_format: format }) =>
    format?.type === 'json_schema' && !format.json_schema
      ? whole('response_format of the type json_schema needs json_schema')
      : null,
  ({ structured_outputs: outputs }) => {
    if (!outputs) return null;
    const given = constraints.filter((name) => outputs[name] !== undefined && outputs[name] !== null);
    if (given.length === 1) return null;
    const found = given.length === 0 ? 'has none' : `has ${given.join(' and ')}`;
    return at('structured_outputs', `structured_outputs takes exactly one of ${constraints.join(', ')}; it ${found}`);
  },
  (request) =>
    request.continue_final_message && request.add_generation_prompt
      ? whole('continue_final_message and add_generation_prompt cannot both be true')
      : null,
  ({ cache_salt: salt }) => (salt === '' ? whole('cache_salt must not be empty') : null),
  ({ repetition_detection: detection }) => {
    const message = detection && repetitionProblem(detection);
    return message ? at('repetition_detection', message) : null;
  },
];

const constraints = ['json', 'regex', 'choice', 'grammar', 'json_object', 'structural_tag'];

function repetitionProblem(detection: NonNullable<Fields['repetition_detection']>): string | null {
  const { max_pattern_size: longest, min_pattern_size: shortest, min_count: copies } = detection;
  if (longest < 0 || shortest < 0 || copies < 0) return 'the numbers of repetition_detection must not be negative';
  if (shortest > longest) return 'min_pattern_size must not be above max_pattern_size';
  return longest > 0 && copies < 2 ? 'min_count must be at least 2' : null;
}

function whole(message: string): Contradiction {
  return { path: [], message };
}

function at(field: string, message: string): Contradiction {
  return { path: [field], message };
}
