import type { CallsFilter } from '../../domain/calls/calls-filter.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import type { Operand, Operation } from '../../domain/query/operation.ts';
import { parseRewardPath } from '../../domain/training/reward.ts';
import type { Calls } from '../../services/calls/calls.ts';
import type { Project } from '../../services/owner.ts';
import { type CallChat, chatOfCall, hasLogprobs } from './chat-of-call.ts';
import { groupBy } from './group-of-call.ts';
import { type Score, Scores } from './score-of-call.ts';

/** The training data. */
export type WantedCalls = {
  project: Project;
  filter: Partial<CallsFilter> | null;
  query: Operation | null;
  /** See `parseRewardPath`. */
  reward: string;
  /** See `groupBy`. */
  groupBy: string;
  /** Maximum number of calls to read, newest first. */
  limit: number;
  /** Answers without logprobs of the model are trained too. */
  trainsWithoutLogprobs: boolean;
};

/** An attempt: chats that share one reward, the first one first. */
export type ChosenTrajectory = { callIds: string[]; reward: number };

export type Chosen = {
  groups: ChosenTrajectory[][];
  /** Calls that match the filter. */
  matched: number;
  /** The calls that were read. */
  read: number;
  /** Why calls are left out, most frequent first. */
  skipped: { reason: string; count: number }[];
};

/** Whether the tokens of a chat are those of the model to train. */
export type HasOwnTokens = (chat: CallChat) => Promise<boolean>;

/** Chooses calls, and groups their rewards. Only ids and rewards are kept: calls may be many and long. */
export async function chooseCalls(
  calls: Pick<Calls, 'query' | 'find' | 'count'>,
  wanted: WantedCalls,
  hasOwnTokens: HasOwnTokens,
  signal: AbortSignal,
): Promise<Chosen> {
  const { project, filter, query, limit } = wanted;
  const choose = openChoice(wanted, hasOwnTokens);
  const scores = new Scores(calls, project, parseRewardPath(wanted.reward));
  const trajectories = new Map<string, ChosenTrajectory & { group: string }>();
  const skipped = new Map<string, number>();
  let read = 0;
  const { count: matched } = await calls.count({ project, filter, query });
  const sortBy = [{ field: 'started_at', direction: 'desc' as const }];
  for await (const page of await calls.query({ project, filter, query, sortBy, limit, includeFeedback: true })) {
    signal.throwIfAborted();
    read += page.length;
    const found = await scores.of(page);
    const chats = await withTokens(
      calls,
      project,
      page.map(({ call }) => call),
    );
    for (const { call } of page) {
      const { callId, chat } = chats.get(call.id)!;
      const choice = await choose(call, chat, found.get(call.id));
      if ('skipped' in choice) {
        skipped.set(choice.skipped, (skipped.get(choice.skipped) ?? 0) + 1);
        continue;
      }
      const { ownerId, reward, group } = choice;
      // The newest comes first, and the first call of a trajectory decides its group.
      const callIds = [callId, ...(trajectories.get(ownerId)?.callIds ?? [])];
      trajectories.set(ownerId, { callIds, reward, group });
    }
  }
  const reasons = [...skipped].map(([reason, count]) => ({ reason, count }));
  return { groups: groupsOf(trajectories), matched, read, skipped: reasons.sort((a, b) => b.count - a.count) };
}

type ReadChat = ReturnType<typeof chatOfCall>;

/**
 * The chats of calls. An SDK records what its program got, often without logprobs: then the call that heddle recorded for
 * the same answer has them.
 */
async function withTokens(calls: Pick<Calls, 'query'>, project: Project, page: FoundCall[]) {
  const chats = new Map(page.map((call) => [call.id, { callId: call.id, chat: chatOfCall(call) }]));
  const sought = new Map<string, string>();
  for (const { callId, chat } of chats.values()) {
    if (!('fault' in chat) && !hasLogprobs(chat) && chat.completionId !== null) sought.set(chat.completionId, callId);
  }
  if (sought.size === 0) return chats;
  for await (const found of await calls.query({ project, query: isAnswer([...sought.keys()]) })) {
    for (const { call } of found) {
      const chat = chatOfCall(call);
      const askedBy = 'fault' in chat ? undefined : sought.get(chat.completionId ?? '');
      if (askedBy !== undefined) chats.set(askedBy, { callId: call.id, chat });
    }
  }
  return chats;
}

/** Calls in which heddle recorded one of these completions. */
function isAnswer(completionIds: string[]): Operation {
  const text = (value: string) => ({ kind: 'literal', literal: { type: 'string', value } }) as const;
  const [opName, id] = [
    { kind: 'field', path: 'op_name' },
    { kind: 'field', path: 'output.id' },
  ] as const;
  const operands: Operand[] = [
    { kind: 'eq', left: opName, right: text('heddle.chat.completions') },
    { kind: 'in', operand: id, list: completionIds.map(text) },
  ];
  return { kind: 'and', operands };
}

type Choice = { skipped: string } | { ownerId: string; reward: number; group: string };

/** Decides on each call, which is new. */
function openChoice(
  { reward: rewardName, groupBy: grouping, trainsWithoutLogprobs }: WantedCalls,
  hasOwnTokens: HasOwnTokens,
): (call: FoundCall, chat: ReadChat, score: Score | undefined) => Promise<Choice> {
  const groupOf = groupBy(grouping);
  const completions = new Set<string | null>();
  return async (call, chat, score) => {
    if ('fault' in chat) return { skipped: chat.fault };
    if (!score) return { skipped: `it has no reward ${rewardName}` };
    if ('fault' in score.found) return { skipped: score.found.fault };
    const group = groupOf(call, chat);
    if (group === null) return { skipped: `it has no field ${grouping} to group by` };
    if (!trainsWithoutLogprobs && !(hasLogprobs(chat) && (await hasOwnTokens(chat)))) return { skipped: noLogprobs };
    if (completions.has(chat.completionId)) return { skipped: 'another call has the same answer' };
    if (chat.completionId !== null) completions.add(chat.completionId);
    return { ownerId: score.ownerId, reward: score.found.reward, group };
  };
}

const noLogprobs = 'its answer has no logprobs of the model to train';

function groupsOf(trajectories: Map<string, ChosenTrajectory & { group: string }>): ChosenTrajectory[][] {
  const oldestFirst = [...trajectories.values()].reverse();
  const groups = Map.groupBy(oldestFirst, ({ group }) => group).values();
  return [...groups].map((each) => each.map(({ callIds, reward }) => ({ callIds, reward })));
}
