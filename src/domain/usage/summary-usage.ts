import { JsonNumber, parseLossless } from '../../util/json/lossless.ts';

/** The tokens that a summary reports for one model, as stored in the column `usage`. */
export type SummaryUsage = {
  model: string;
  requests: number;
  input: number;
  output: number;
  total: number | null;
  cache_read: number;
  cache_creation: number;
};

/**
 * Whether ClickHouse may be unable to compute the usage from a summary: it cannot parse JSON that contains any number
 * outside the range of its types.
 */
export function mayBeUnreadable(summary: string): boolean {
  return summary.includes('"usage"') && beyondTypes.test(summary);
}

/** Integers beyond 64 bits have at least 19 digits, floating-point numbers out of range a long exponent. */
const beyondTypes = /\d{19}|\de[-+]?\d{3}/i;

/** What ClickHouse would compute. Tokens under both of their names are added. */
export function usageOfSummary(summary: string): SummaryUsage[] {
  const usage = membersOf(membersOf(parseLossless(summary)).get('usage'));
  return [...usage].map(([model, counts]) => {
    const count = (name: string) => {
      const value = membersOf(counts).get(name);
      return value instanceof JsonNumber && Number.isSafeInteger(Number(value.text)) ? Number(value.text) : null;
    };
    return {
      model,
      requests: count('requests') ?? 0,
      input: (count('prompt_tokens') ?? 0) + (count('input_tokens') ?? 0),
      output: (count('completion_tokens') ?? 0) + (count('output_tokens') ?? 0),
      total: count('total_tokens'),
      cache_read: count('cache_read_input_tokens') ?? 0,
      cache_creation: count('cache_creation_input_tokens') ?? 0,
    };
  });
}

function membersOf(value: unknown): Map<string, unknown> {
  return value instanceof Map ? value : new Map();
}
