import type { EchoedToken, LogprobEntry, PromptLogprobs } from '../../../chat/output/logprob-entries.ts';
import { answerFault } from '../engine/read-tokens.ts';
import type { WirePromptLogprobs } from '../servers/wire.ts';

type Position = { id: number; token: string; logprob: number; rank: number };

/** `prompt_logprobs`: for each token itself, and the `top` most likely ones. @throws Failure if there are others than those of `ids` */
export function promptEntries(
  found: WirePromptLogprobs | null,
  ids: readonly number[],
  top: number,
): (PromptLogprobs | null)[] {
  const [, ...positions] = positionsOf(found, ids);
  return [
    null,
    ...positions.map(({ own, all }) => {
      const shown = all.filter((each) => each === own || each.rank <= top);
      return Object.fromEntries(
        shown.map(({ id, token, logprob, rank }) => [id, { logprob, rank, decoded_token: token }]),
      );
    }),
  ];
}

/** The same in the form of generated tokens. @param first the text of the first one, which has no logprob */
export function echoedEntries(
  found: WirePromptLogprobs | null,
  ids: readonly number[],
  { top, first, asIds }: { top: number; first: string; asIds: boolean },
): EchoedToken[] {
  const [firstId] = ids;
  const token = asIds ? `token_id:${firstId}` : first;
  return [
    { token, logprob: null, bytes: [...Buffer.from(first)], top_logprobs: [] },
    ...logprobsOfTokens(found, ids, { from: 1, top, asIds }),
  ];
}

/** The tokens of a prompt from one on, in the form of generated ones. @throws Failure */
export function logprobsOfTokens(
  found: WirePromptLogprobs | null,
  ids: readonly number[],
  { from, top, asIds }: { from: number; top: number; asIds: boolean },
): LogprobEntry[] {
  const entry = ({ id, token, logprob }: Position) => ({
    ...{ token: asIds ? `token_id:${id}` : token, logprob, bytes: [...Buffer.from(token)] },
  });
  return positionsOf(found, ids)
    .slice(from)
    .map(({ own, all }) => {
      const best = all.filter(({ rank }) => rank <= top).sort((a, b) => a.rank - b.rank);
      return { ...entry(own!), top_logprobs: best.map(entry) };
    });
}

function positionsOf(
  found: WirePromptLogprobs | null,
  ids: readonly number[],
): { own: Position | null; all: Position[] }[] {
  if (found?.length !== ids.length) {
    throw answerFault(`has sent ${found?.length ?? 0} logprobs for a prompt of ${ids.length} tokens`);
  }
  return ids.map((id, i) => {
    if (i === 0) return { own: null, all: [] };
    const all = Object.entries(found[i] ?? {}).map(([key, { logprob, rank, decoded_token }]) => ({
      ...{ id: Number(key), token: decoded_token ?? '', logprob, rank: rank ?? 0 },
    }));
    const own = all.find((each) => each.id === id);
    if (!own) throw answerFault(`has sent no logprob for the token ${id} of a prompt`);
    return { own, all };
  });
}
