import type { ProjectName } from '../../contract/ids.ts';
import {
  type CallAuthor,
  completeToPart,
  endToPart,
  type NewEnd,
  type NewStart,
  startToPart,
} from '../../domain/calls/new-call.ts';
import type { CallPart } from '../../domain/calls/part.ts';
import { conversationMembers, promptMembers } from '../../domain/conversations/conversation-json.ts';
import { type Preview, previewOf } from '../../domain/conversations/preview.ts';
import type { ConversationSource } from '../../domain/conversations/read-conversation.ts';
import { publishedValuesMax } from '../../domain/digest/published-values.ts';
import { type IncomingValue, readIncomingValue } from '../../domain/objects/incoming-value.ts';
import { checkMonitorQuery } from '../../domain/objects/monitor-query.ts';
import { type StoredValue, toStoredValue } from '../../domain/objects/stored-value.ts';
import { toTableRow } from '../../domain/tables/table-row.ts';
import { parseLossless } from '../../util/json/lossless.ts';
import {
  type NamedProjects,
  noteIds,
  noteProjects,
  type ResolvedProjects,
  toShownRefs,
  toStoredRefs,
} from '../refs/named-projects.ts';

/** Work on payloads that may take seconds: pure functions, called here or in a thread (`large.ts`). */
export const work = {
  start: (start: NewStart, author: CallAuthor): CallPart => startToPart(start, author),
  end: (end: NewEnd & { id: string }): CallPart => endToPart(end),
  complete: (call: NewStart & NewEnd, author: CallAuthor): CallPart => completeToPart(call, author),

  namedProjects(text: string): NamedProjects {
    const named: NamedProjects = { names: new Set(), ids: new Set() };
    noteProjects(text, named);
    return named;
  },

  namedIds(text: string): Set<string> {
    const ids = new Set<string>();
    noteIds(text, ids);
    return ids;
  },

  conversation: (source: ConversationSource): string => conversationMembers(source),
  preview: (source: ConversationSource): Preview => previewOf(source),

  promptConversation: (value: string): string => promptMembers(value),

  shownRefs: (text: string, ids: Map<string, ProjectName | null>): string => toShownRefs(text, ids),

  /** The digests and sizes of rows, as `toTableRow` computes them. */
  rowDigests(texts: string[], projects: ResolvedProjects): { digests: string[]; sizes: number[] } {
    const rows = texts.map((text) => toTableRow(text, (each) => toStoredRefs(each, projects)));
    return { digests: rows.map(({ digest }) => digest), sizes: rows.map(({ sizeBytes }) => sizeBytes) };
  },

  /** Returns only the parts of the value that describe collisions. */
  object(text: string, projects: ResolvedProjects, requested: string | null): IncomingValue & StoredValue {
    const tree = parseLossless(toStoredRefs(text, projects), publishedValuesMax);
    const incoming = readIncomingValue(tree, requested);
    checkMonitorQuery(incoming);
    const name = incoming.value instanceof Map ? incoming.value.get('name') : undefined;
    const value = typeof name === 'string' ? new Map([['name', name]]) : null;
    return { ...incoming, value, ...toStoredValue(incoming.value) };
  },
};

export type WorkName = keyof typeof work;
