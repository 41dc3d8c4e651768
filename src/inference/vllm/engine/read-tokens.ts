import type { Finish } from '../../../engine/sampling/finish.ts';
import { logprobMin, type PositionLogprobs, type RankedLogprob } from '../../../engine/sampling/logprobs.ts';
import { Failure } from '../../../util/failures.ts';
import type { CompletionChunk } from '../servers/wire.ts';

type Choice = CompletionChunk['choices'][number];

export type ReadToken = { id: number; logprobs: PositionLogprobs | null };

/** The tokens of a chunk. @param top how many alternatives were asked for; null: no logprobs @throws Failure if some are missing */
export function tokensOf({ token_ids: ids, logprobs, text }: Choice, top: number | null): ReadToken[] {
  if (!ids) {
    if (text === '') return [];
    throw answerFault('sends text without token ids, which vLLM does from version 0.10.2 on');
  }
  if (top === null) return ids.map((id) => ({ id, logprobs: null }));
  const own = logprobs?.token_logprobs ?? [];
  if (own.length !== ids.length) throw answerFault(`has sent ${ids.length} tokens with ${own.length} logprobs`);
  return ids.map((id, index) => ({
    id,
    logprobs: positionOf(id, own[index] ?? logprobMin, logprobs?.top_logprobs?.[index] ?? {}, top),
  }));
}

/** The most likely tokens of a position, best first; its own is among them only if it is one of them. */
function positionOf(id: number, logprob: number, found: Record<string, number>, top: number): PositionLogprobs {
  if (top === 0) return { token: { id, logprob, rank: 1 }, top: [] };
  const others = Object.entries(found).map(([key, value]) => ({ id: idOf(key), logprob: value }));
  others.sort((a, b) => b.logprob - a.logprob);
  const best = top === -1 ? others : others.slice(0, top);
  const ranked = best.map((each, index) => ({ ...each, rank: index + 1 }));
  const rank = ranked.find((each) => each.id === id)?.rank ?? ranked.length + 1;
  return { token: { id, logprob, rank }, top: ranked };
}

/**
 * The logprobs of all tokens of a prompt but the first: its own first, then the most likely others, best first.
 * @throws Failure if there are others than those of `ids`
 */
export function promptScores({ prompt_logprobs: found }: Choice, ids: readonly number[]): RankedLogprob[][] {
  if (found?.length !== ids.length) {
    throw answerFault(`has sent ${found?.length ?? 0} logprobs for a prompt of ${ids.length} tokens`);
  }
  return ids.slice(1).map((id, index) => {
    const entries = Object.entries(found[index + 1] ?? {}).map(([key, { logprob, rank }]) => ({
      ...{ id: Number(key), logprob, rank: rank ?? 0 },
    }));
    const own = entries.find((each) => each.id === id);
    if (!own) throw answerFault(`has sent no logprob for the token ${id} of a prompt`);
    const others = entries.filter((each) => each !== own).sort((a, b) => a.rank - b.rank);
    return [own, ...others];
  });
}

/** The same as those of a generated token. */
export function positionLogprobs(scores: readonly RankedLogprob[], top: number): PositionLogprobs {
  const best = scores.toSorted((a, b) => a.rank - b.rank);
  return { token: scores[0]!, top: best.filter(({ rank }) => top === -1 || rank <= top) };
}

/** Why the server has ended a sequence; null if it has not. @throws Failure if the server has failed */
export function finishOfServer(
  { finish_reason: reason, stop_reason: stop }: Pick<Choice, 'finish_reason' | 'stop_reason'>,
  eosId: number | null,
): Finish | null {
  switch (reason) {
    case null:
    case undefined:
      return null;
    case 'stop':
      return { finishReason: 'stop', stopReason: stop === eosId ? null : (stop ?? null) };
    case 'length':
    case 'repetition':
      return { finishReason: reason, stopReason: stop ?? null };
    default:
      throw answerFault(`has ended the answer with ${JSON.stringify(reason).slice(0, 100)}`);
  }
}

/** Something that a server's answer must not contain. */
export function answerFault(what: string): Failure {
  const message = `The vLLM server ${what}.`;
  return new Failure('unavailable', message, {}, { rule: message });
}

function idOf(key: string): number {
  const [, id] = /^token_id:(\d+)$/.exec(key) ?? [];
  if (id === undefined) throw answerFault('writes tokens as text, although ids were asked for');
  return Number(id);
}
