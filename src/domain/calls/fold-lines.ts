import { type CallKey, type CallRow, emptyRow, type Micros } from './call-row.ts';
import { mergePart, tombstone } from './merge.ts';
import type { PartContent, PartLine } from './part-line.ts';
import type { SpanRelation } from './span-copies.ts';

/** What became of a part: as in `WriteOutcome`, but a missing start is noticed before. */
type LineOutcome = 'stored' | 'covered' | Exclude<SpanRelation, 'same'>;

/** A call as its parts make it, but for the payloads: which parts they come from. */
export type FoldedCall = {
  start: PartLine | null;
  end: PartLine | null;
  isDeleted: boolean;
  /** The name of the last rename. */
  displayName: string | null;
  /** Another parent than the start names. */
  parentId: string | null;
  isTopmost: boolean;
  isRepeated: boolean;
  outcomes: Map<number, LineOutcome>;
};

/**
 * Merges the parts of a call: a function of their set alone. Like `mergePart` for one part after another, in the order of
 * their numbers.
 */
export function foldLines(lines: Iterable<PartLine>): FoldedCall {
  const call: FoldedCall = {
    ...{ start: null, end: null, isDeleted: false, displayName: null, parentId: null },
    ...{ isTopmost: false, isRepeated: false, outcomes: new Map() },
  };
  const ordered = [...lines].sort((a, b) => a.number - b.number);
  const withdrawn = withdrawnIn(ordered);
  for (const line of ordered) {
    const outcome = withdrawn.has(line.number) ? 'ofOtherTrace' : outcomeOf(call, line);
    call.outcomes.set(line.number, outcome);
    if (outcome === 'stored' && !call.isDeleted) add(call, line);
  }
  return call;
}

/** The numbers of the parts that were taken back. */
function withdrawnIn(lines: readonly PartLine[]): Set<number> {
  return new Set(lines.flatMap(({ kind, value }) => (kind === 'withdrawn' ? Number(value) : [])));
}

function outcomeOf({ start, end, isDeleted }: FoldedCall, line: PartLine): LineOutcome {
  const ofSdk = isDeleted || start?.mapperVersion === 0;
  if (line.yieldsToSdk && start && ofSdk) return 'covered';
  if (line.spanTraceId === '' || !start || ofSdk) return 'stored';
  if (start.traceId !== line.spanTraceId && start.spanTraceId !== line.spanTraceId) return 'ofOtherTrace';
  if (!end || end.endedAt === null) return 'stored';
  return line.kind !== 'complete' || line.endedAt! < end.endedAt ? 'outdated' : 'stored';
}

function add(call: FoldedCall, line: PartLine): void {
  switch (line.kind) {
    case 'start':
    case 'complete':
      call.start = line;
      call.parentId = null;
      if (line.kind === 'complete') call.end = line;
      return;
    case 'end':
      call.end = line;
      return;
    case 'rename':
      call.displayName = line.value;
      return;
    case 'delete':
      call.isDeleted = true;
      return;
    case 'topmost':
      if (call.start) call.isTopmost = line.value !== '';
      return;
    case 'repeated':
      if (call.start) call.isRepeated = line.value !== '';
      return;
    case 'parent':
      if (call.start) call.parentId = line.value;
      return;
    case 'withdrawn':
      return;
    default:
      line.kind satisfies never;
  }
}

/**
 * The version of the row that these parts make: of two sets of which one contains the other, the larger one has a version that
 * is higher by at least two, so a row that was made from fewer parts loses whenever it is inserted. The version between them is
 * that of rows which hide the call at other times.
 */
export function versionOf(lines: readonly PartLine[]): number {
  return lines.reduce((highest, { number }) => Math.max(highest, number), 0) + 2 * lines.length;
}

/**
 * Of a process's own parts, the spans that another process has stored under an id which is theirs by their number only: the span
 * of another trace that was there first keeps the id, because its sender may have been answered.
 */
export function lateSpans(own: readonly PartLine[], all: readonly PartLine[], { outcomes }: FoldedCall): PartLine[] {
  const ofOthers = all.filter(
    ({ spanTraceId, number }) => spanTraceId !== '' && outcomes.get(number) === 'ofOtherTrace',
  );
  const withdrawn = withdrawnIn(all);
  return own.filter(
    ({ spanTraceId, number, process }) =>
      spanTraceId !== '' &&
      outcomes.get(number) === 'stored' &&
      ofOthers.some(
        (other) =>
          other.process !== process &&
          other.number > number &&
          other.spanTraceId !== spanTraceId &&
          !withdrawn.has(other.number),
      ),
  );
}

/** The numbers of the parts that the payloads of a call come from. */
export function sourcesOf({ start, end, isDeleted }: FoldedCall): number[] {
  if (isDeleted) return [];
  return [...new Set([start, end].flatMap((line) => line?.number ?? []))];
}

/** The row of a call. `contentOf` must know each of `sourcesOf`. */
export function foldedRow(
  key: CallKey,
  { start, end, isDeleted, displayName, parentId, isTopmost, isRepeated }: FoldedCall,
  contentOf: (number: number) => PartContent,
): CallRow {
  const empty = { ...emptyRow(key), isStarted: start !== null, startedAt: start?.startedAt ?? 0 };
  if (isDeleted) return tombstone(empty);
  let row = emptyRow(key);
  if (start) row = mergePart(row, key, { kind: 'start', start: contentOf(start.number).start! })!;
  if (end) row = mergePart(row, key, { kind: 'end', end: contentOf(end.number).end! })!;
  if (displayName !== null) row = { ...row, displayName, isRenamed: true };
  if (parentId !== null) row = { ...row, parentId };
  return { ...row, isTopmost, isRepeated };
}

/**
 * The other times at which these parts may have been stored: where the row of another process has to be hidden. A call without a
 * start is stored at 0. It was not if each part without a start was written together with one or after one had become visible.
 * Only a start whose fields are in its line counts for this: a complete call may be lost without its row.
 */
export function otherTimes(lines: readonly PartLine[], startedAt: Micros): Micros[] {
  const withdrawn = withdrawnIn(lines);
  const certain = lines.filter(({ kind, number }) => kind === 'start' && !withdrawn.has(number));
  const together = writtenTogether(lines);
  const mayStandAlone = (line: PartLine) =>
    line.startedAt === null &&
    line.kind !== 'withdrawn' &&
    !certain.some((start) => start.number <= line.settledBefore || together.get(start) === together.get(line));
  const times = new Set(lines.flatMap((line) => line.startedAt ?? []));
  if (lines.some(mayStandAlone)) times.add(0);
  times.delete(startedAt);
  return [...times];
}

/** Numbers the groups of parts that became visible at once: what a batch has of a call is numbered without gaps. */
function writtenTogether(lines: readonly PartLine[]): Map<PartLine, number> {
  const groups = new Map<PartLine, number>();
  let group = 0;
  let last: PartLine | null = null;
  for (const line of lines.toSorted((a, b) => a.number - b.number)) {
    const isNext = last !== null && last.process === line.process && last.number + 1 === line.number;
    groups.set(line, isNext ? group : ++group);
    last = line;
  }
  return groups;
}
