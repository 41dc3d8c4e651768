import { groupKeysOfCall } from '../../domain/suites/group-keys.ts';
import { parseRewardPath } from '../../domain/training/reward.ts';
import type { Calls } from '../../services/calls/calls.ts';
import type { CallsSought } from '../../services/calls/query-calls.ts';
import type { Project } from '../../services/owner.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { chatOfCall, historyOfChat } from './chat-of-call.ts';
import { type Score, Scores } from './score-of-call.ts';

/** Calls whose answers are learned. */
export type ChosenCalls = {
  /** The oldest first. */
  callIds: string[];
  /** Calls that match the filter. */
  matched: number;
  /** The calls that were read: the newest. */
  read: number;
  /** Why calls are left out, most frequent first. */
  skipped: { reason: string; count: number }[];
};

/** Only answers with at least this score are learned. `reward` says where the score is (`parseRewardPath`). */
export type LeastScore = { reward: string; least: number };

/** Chooses the calls that are chats, each answer once. */
export async function chooseConversations(
  calls: Pick<Calls, 'query' | 'count' | 'find'>,
  { limit, score = null, ...sought }: CallsSought & { limit: number; score?: LeastScore | null },
  signal: AbortSignal,
): Promise<ChosenCalls> {
  const { project, filter, query } = sought;
  const scores = score && new Scores(calls, project, parseRewardPath(score.reward));
  const { count: matched } = await calls.count({ project, filter, query });
  const sortBy = [{ field: 'started_at', direction: 'desc' as const }];
  const callIds: string[] = [];
  const completions = new Set<string>();
  const skipped = new Map<string, number>();
  let read = 0;
  const includeFeedback = score !== null;
  for await (const page of await calls.query({ project, filter, query, sortBy, limit, includeFeedback })) {
    signal.throwIfAborted();
    read += page.length;
    const found = await scores?.of(page);
    for (const { call } of page) {
      const chat = chatOfCall(call);
      const isRepeated = 'completionId' in chat && chat.completionId !== null && completions.has(chat.completionId);
      const fault = 'fault' in chat ? chat.fault : isRepeated ? 'another call has the same answer' : null;
      const reason = fault ?? (score && scoreFault(score, found?.get(call.id)));
      if (reason !== null) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
      else callIds.push(call.id);
      if ('completionId' in chat && chat.completionId !== null) completions.add(chat.completionId);
    }
  }
  const reasons = [...skipped].map(([reason, count]) => ({ reason, count }));
  return { callIds: callIds.reverse(), matched, read, skipped: reasons.sort((a, b) => b.count - a.count) };
}

/** Why an answer is not good enough; null if it is. */
function scoreFault({ reward, least }: LeastScore, score: Score | undefined): string | null {
  if (!score) return `it has no score ${reward}`;
  if ('fault' in score.found) return score.found.fault;
  return score.found.reward < least ? `its score is below ${least}` : null;
}

/** Read from the store together. */
const callsTogether = 50;

/** The chats of calls as training data: earlier answers are context, as each was an answer of a call of its own. */
export async function* conversationLines(
  calls: Pick<Calls, 'find'>,
  project: Project,
  callIds: string[],
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < callIds.length; from += callsTogether) {
    const together = callIds.slice(from, from + callsTogether);
    const found = new Map((await calls.find(together, { project })).map(({ call }) => [call.id, call]));
    for (const id of together) {
      const call = found.get(id);
      const chat = call && chatOfCall(call);
      if (!chat || 'fault' in chat) continue; // deleted or changed since it was chosen
      const history = historyOfChat(chat, false);
      const keys = groupKeysOfCall({
        ...call,
        inputs: parsePlain(call.inputs),
        attributes: parsePlain(call.attributes),
      });
      yield Buffer.from(`${toJson({ ...history, call_id: id, split_keys: keys })}\n`);
    }
  }
}
