import { readText } from '../../domain/overlap/read-text.ts';
import { type Row, RowIndex } from '../../domain/overlap/row-index.ts';
import { type SuiteTexts, suiteTextsOf, trainingTextsOf } from '../../domain/suites/compared-texts.ts';
import { type GroupKey, groupKeysOfRow } from '../../domain/suites/group-keys.ts';
import type { OverlapKind } from '../../domain/suites/overlap.ts';
import { giveWay } from '../../util/give-way.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { garbageCollector } from '../../util/release-memory.ts';
import { serveRequests } from '../../util/workers/serve-requests.ts';

/** A row of a suite: which suite of those that are indexed, and which row of it. */
export type RowPlace = { suite: number; row: number };

/** What connects a row with others. */
export type RowOrigin = { callIds: string[]; keys: GroupKey[] };

export type FoundCopy = RowPlace & { kind: OverlapKind; similarity: number };

export type ComparedLine = RowOrigin & {
  /** Counted from 1: lines of text, or trajectories. */
  line: number;
  found: FoundCopy[];
};

/** Questions with fewer words are asked by many. */
const questionWordsMin = 4;
/** As many rows may ask the same, as in `domain/overlap`. */
const sameQuestionMax = 8;

let rows: Row[] = [];
let questions = new Map<string, RowPlace[]>();
let index: RowIndex | null = null;
let threadColumns: string[] = [];

const handlers = {
  begin(columns: string[]): void {
    [rows, questions, index, threadColumns] = [[], new Map(), null, columns];
  },

  add({ suite, threadColumn, given }: AddedRows): RowOrigin[] {
    return given.map(({ row, text }) => {
      const value = parsed(text);
      const read = suiteTextsOf(value, threadColumn);
      rows.push({ id: `${suite}:${row}`, messages: read.texts });
      addQuestion(read, { suite, row });
      return { callIds: read.callIds, keys: groupKeysOfRow(value, threadColumn === null ? [] : [threadColumn]) };
    });
  },

  build(): void {
    index = new RowIndex(rows);
    rows = [];
  },

  /** Lines without messages are left out. Those of trajectories are counted by themselves. */
  compare({ lines, before, isCountedByRow }: Compared): { compared: ComparedLine[]; counted: number } {
    const compared: ComparedLine[] = [];
    let counted = before;
    for (const text of lines) {
      const read = trainingTextsOf(parsed(text));
      if (!isCountedByRow || read) counted++;
      if (read) {
        const keys = groupKeysOfRow(read.fields, threadColumns);
        compared.push({ line: counted, callIds: read.callIds, keys, found: copiesIn(read.chats) });
      }
    }
    return { compared, counted };
  },
};

type AddedRows = { suite: number; threadColumn: string | null; given: { row: number; text: string }[] };
type Compared = { lines: string[]; before: number; isCountedByRow: boolean };

function addQuestion({ question }: SuiteTexts, place: RowPlace): void {
  const read = question === null ? null : readText(question);
  if (!read || read.units.length < questionWordsMin) return;
  const known = questions.get(read.digest);
  if (known) known.push(place);
  else questions.set(read.digest, [place]);
}

function copiesIn(chats: string[][]): FoundCopy[] {
  const found = new Map<string, FoundCopy>();
  for (const messages of chats) {
    const read = messages.map(readText);
    for (const { id, kind, share } of index!.matches(read)) {
      const [suite, row] = id.split(':').map(Number) as [number, number];
      note(found, { suite, row, kind: kind === 'same' ? 'exact' : kind, similarity: share });
    }
    for (const { digest } of read) {
      const asked = questions.get(digest) ?? [];
      if (asked.length > sameQuestionMax) continue;
      for (const place of asked) note(found, { ...place, kind: 'exact', similarity: 1 });
    }
  }
  return [...found.values()];
}

function note(found: Map<string, FoundCopy>, copy: FoundCopy): void {
  const key = `${copy.suite}:${copy.row}`;
  const known = found.get(key);
  if (!known || copy.similarity > known.similarity || (copy.kind === 'exact' && known.kind !== 'exact'))
    found.set(key, copy);
}

/** Null for a line that is not JSON, which the preparation of the data reports. */
function parsed(text: string): unknown {
  try {
    return parsePlain(text);
  } catch {
    return null;
  }
}

export type IndexingSuites = typeof handlers;

/** A thread with the index of some suites. */
giveWay();
serveRequests(handlers, { order: 'sequence', afterWork: garbageCollector() });
