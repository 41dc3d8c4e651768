import type { Complete, End, Start } from '../../contract/calls/parts.ts';
import type { ProjectName } from '../../contract/ids.ts';
import { completeToPart, endToPart, startToPart } from '../../domain/calls/from-wire.ts';
import type { CallPart } from '../../domain/calls/part.ts';
import { publishedValuesMax } from '../../domain/digest/published-values.ts';
import { type IncomingValue, readIncomingValue } from '../../domain/objects/incoming-value.ts';
import { checkMonitorQuery } from '../../domain/objects/monitor-query.ts';
import { type StoredValue, toStoredValue } from '../../domain/objects/stored-value.ts';
import { type TableRow, toTableRow } from '../../domain/tables/table-row.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { parseLossless } from '../../util/json/lossless.ts';
import { completeBuiltin } from '../objects/complete-builtin.ts';
import {
  type NamedProjects,
  noteIds,
  noteProjects,
  type ResolvedProjects,
  toShownRefs,
  toStoredRefs,
} from '../refs/named-projects.ts';

/** What a call's part is made with, as data: its ids are made beforehand. */
export type WireData = { userId: string; redacts: boolean };

/** What is done with payloads that may take seconds: functions of data, called here or in a thread (`large.ts`). */
export const work = {
  start: (start: Start, wire: WireData): CallPart => startToPart(withTexts(start), withoutIds(wire)).part,
  end: (end: End): CallPart => endToPart(withTexts(end)),
  complete: (call: Complete, wire: WireData): CallPart => completeToPart(withTexts(call), withoutIds(wire)),

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

  shownRefs: (text: string, ids: Map<string, ProjectName | null>): string => toShownRefs(text, ids),

  tableRow: (text: string, projects: ResolvedProjects): TableRow =>
    toTableRow(text, (each) => toStoredRefs(each, projects)),

  /** Of the value only what collisions are described with is given back. */
  object(text: string, projects: ResolvedProjects, requested: string | null): IncomingValue & StoredValue {
    const tree = parseLossless(toStoredRefs(text, projects), publishedValuesMax);
    const incoming = readIncomingValue(tree, requested, completeBuiltin);
    checkMonitorQuery(incoming);
    const name = incoming.value instanceof Map ? incoming.value.get('name') : undefined;
    const value = typeof name === 'string' ? new Map([['name', name]]) : null;
    return { ...incoming, value, ...toStoredValue(incoming.value) };
  },
};

export type WorkName = keyof typeof work;

function withoutIds(wire: WireData) {
  return {
    ...wire,
    newId: (): string => {
      throw new Error('Calls get their ids before this.');
    },
  };
}

const kept = ['attributes', 'inputs', 'otel_dump', 'output', 'summary'] as const;

/** Kept texts come from another thread as plain objects. */
function withTexts<Part extends object>(part: Part): Part {
  const texts: Record<string, unknown> = {};
  for (const name of kept) {
    const value = (part as Record<string, unknown>)[name];
    if (value && !(value instanceof JsonText)) texts[name] = new JsonText((value as { text: string }).text);
  }
  return { ...part, ...texts };
}
