import { isObject } from '../../util/json/own-member.ts';

/** The fields of a completion's call, except for inputs and times. */
export type CompletionRecord = {
  /** JSON text; null if there is no response. */
  output: string | null;
  attributes: Record<string, unknown>;
  summary: { usage?: Record<string, Usage> };
};

/** Token counts under OpenAI's names, and `requests`. */
type Usage = { [name: string]: number | Usage };

/** The usage that a provider reports, limited to its counts. */
export function usageOf(model: string, reported: unknown): CompletionRecord['summary'] {
  if (!isObject(reported)) return {};
  return { usage: { [model]: { requests: 1, ...countsIn(reported) } } };
}

function countsIn(reported: Record<string, unknown>): Usage {
  const counts: Usage = {};
  for (const [name, value] of Object.entries(reported)) {
    if (Number.isSafeInteger(value) && (value as number) >= 0) counts[name] = value as number;
    else if (isObject(value)) counts[name] = countsIn(value);
  }
  return counts;
}
