import type { FoundCall } from '../../domain/calls/found-call.ts';
import { conversationMembers } from '../../domain/conversations/conversation-json.ts';
import { type Preview, previewOf } from '../../domain/conversations/preview.ts';
import type { ConversationSource } from '../../domain/conversations/read-conversation.ts';
import { isLarge } from '../../util/large-text.ts';
import { openTurn } from '../../util/turns.ts';
import { workOn } from '../large/large.ts';
import type { Project } from '../owner.ts';
import type { QueryCalls } from './query-calls.ts';

export type ReadConversations = {
  /** The conversations of those calls that exist, page by page, each as a line of JSON with the id of its call. */
  conversations(project: Project, callIds: string[]): Promise<AsyncIterable<string[]>>;
  /** The conversations of calls, in the order of the calls. Payloads that were not read count as empty. */
  previews(calls: FoundCall[]): Promise<Preview[]>;
};

export function openReadConversations({ query }: Pick<QueryCalls, 'query'>): ReadConversations {
  return {
    async conversations(project, callIds) {
      const columns = new Set(['inputs', 'output', 'attributes', 'exception', 'ended_at'] as const);
      const pages = await query({ project, filter: { call_ids: callIds }, columns });
      return (async function* lines() {
        for await (const answered of pages) {
          const calls = answered.map(({ call }) => call);
          const members = await each(calls, conversationMembers, (source) => workOn('conversation', source));
          yield calls.map(({ id }, index) => `{"id":${JSON.stringify(id)},${members[index]!}}`);
        }
      })();
    },

    previews: (calls) => each(calls, previewOf, (source) => workOn('preview', source)),
  };
}

/** Reads each call, large ones in another thread. */
async function each<Result>(
  calls: FoundCall[],
  here: (source: ConversationSource) => Result,
  elsewhere: (source: ConversationSource) => Promise<Result>,
): Promise<Result[]> {
  const turn = openTurn();
  const results: Result[] = [];
  for (const call of calls) {
    const source = sourceOf(call);
    if (isLarge(source.inputs, source.output, source.attributes)) results.push(await elsewhere(source));
    else {
      if (turn.isOver()) await turn.next();
      results.push(here(source));
    }
  }
  return results;
}

function sourceOf({ inputs, output, attributes, otelDump, endedAt, exception }: FoundCall): ConversationSource {
  return { inputs, output, attributes, span: otelDump, isEnded: endedAt !== null, exception };
}
