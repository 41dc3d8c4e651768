import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Operation } from '../../domain/query/operation.ts';
import { parsePublishedQuery } from '../../domain/query/parse-query.ts';
import { describeFaults } from '../../util/describe-faults.ts';
import { Failure } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { parsePlain } from '../../util/json/parse.ts';

/** A published `Monitor`: which calls are scored, and with what. */
export type Monitor = {
  /** Its address, with the digest of the version. */
  ref: string;
  /** Refs of ops with any version; empty means all ops. */
  opNames: string[];
  query: Operation | null;
  samplingRate: number;
  scorers: string[];
  /** Whether scorers are recorded as calls. */
  isTraced: boolean;
};

const monitorSchema = z.object({
  active: z.boolean().nullish(),
  sampling_rate: z.number().min(0).max(1).nullish(),
  scorers: z.array(z.string()),
  op_names: z.array(z.string()).nullish(),
  query: z.record(z.string(), z.unknown()).nullish(),
  is_traced: z.boolean().nullish(),
  scorer_debounce_config: z.unknown().optional(),
});

/** Reads the value of a `Monitor`. @returns null if it is not active, or what is wrong with it */
export function readMonitor(ref: string, value: string): Monitor | { fault: string } | null {
  const parsed = monitorSchema.safeParse(parsePlain(value));
  if (!parsed.success) return { fault: describeFaults(parsed.error) };
  const { active, sampling_rate, scorers, op_names, query, is_traced, scorer_debounce_config } = parsed.data;
  if (!active) return null;
  if (scorer_debounce_config) return { fault: 'scorer_debounce_config is not supported' };
  const opNames = op_names ?? [];
  if (opNames.some((name) => name.startsWith('weave.genai.'))) return { fault: 'agent turns are not supported' };
  try {
    return {
      ref,
      opNames,
      query: query ? parsePublishedQuery(new JsonText(JSON.stringify(query))) : null,
      samplingRate: sampling_rate ?? 1,
      scorers,
      isTraced: is_traced ?? true,
    };
  } catch (error) {
    if (error instanceof Failure) return { fault: error.message };
    throw error;
  }
}

/** Whether a call belongs to the sample: always the same answer for the same call. */
export function isSampled({ ref, samplingRate }: Pick<Monitor, 'ref' | 'samplingRate'>, callId: string): boolean {
  const hash = createHash('sha256').update(`${ref}/${callId}`).digest().readUInt32BE();
  return hash / 2 ** 32 < samplingRate;
}
