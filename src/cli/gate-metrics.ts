import { InvalidArgumentError } from 'commander';
import type { Params } from '../admin/operations.ts';

type Request = Params<'gate.start'>['request'];
export type Guardrail = NonNullable<Request['guardrails']>[number];
export type WatchedOption = Omit<NonNullable<Request['watched']>[number], 'metric'> & { metric: string | null };

/** `helpful=0.02`: a score may be worse by that much. `latency>2=0.05`: the share of rows above 2 may be larger by that much. */
export function toGuardrail(text: string): Guardrail {
  const [, metric = '', limit, margin = ''] = /^(.+?)(?:>([^=>]+))?=([^=]+)$/.exec(text) ?? [];
  const measure = limit === undefined ? {} : { measure: { kind: 'share_above' as const, limit: numberIn(limit) } };
  if (metric === '') {
    throw new InvalidArgumentError(
      'Expected a score and a margin, such as helpful=0.02, or a limit, as in latency>2=0.05.',
    );
  }
  return { metric, ...measure, margin: numberIn(margin) };
}

/**
 * `language=de:0.2`: rows with this value in this column must not lose that much of the target. `helpful:0.1`: no rows may.
 * @returns with a null metric for the target
 */
export function toWatched(text: string): WatchedOption {
  const [, slice = '', harm = ''] = /^(.+):([^:]+)$/.exec(text) ?? [];
  const [, column, value] = /^([^=]+)=(.*)$/.exec(slice) ?? [];
  if (slice === '') {
    throw new InvalidArgumentError(
      'Expected rows and a harm, such as language=de:0.2, or a score and a harm, such as helpful:0.1.',
    );
  }
  if (column === undefined) return { metric: slice, harm: numberIn(harm) };
  return { metric: null, harm: numberIn(harm), slice: { column, value: value! } };
}

function numberIn(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number))
    throw new InvalidArgumentError(`Expected a number (found ${text}).`);
  return number;
}
