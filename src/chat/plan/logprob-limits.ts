import { BadRequest } from '../bad-request.ts';

/** Checks the number of alternatives. −1 requests the whole vocabulary, or allows it in the setting. */
export function checkLogprobLimits(
  fields: { top_logprobs?: number | null; prompt_logprobs?: number | null },
  logprobsMax = 20,
): void {
  for (const name of ['top_logprobs', 'prompt_logprobs'] as const) {
    const wanted = fields[name] ?? 0;
    if (logprobsMax === -1 || (wanted >= 0 && wanted <= logprobsMax)) continue;
    throw new BadRequest(`${name} must be at most ${logprobsMax}, got ${wanted === -1 ? 'all (-1)' : wanted}.`, name);
  }
}
