/** How training data matches a row of a suite, the strongest first. */
const overlapKinds = ['exact', 'near', 'contained', 'sibling'] as const;

/**
 * `exact`: its messages, or its question, are there word for word. `near`: a message, or all of them together, are nearly the same.
 * `contained`: most of a message is there. `sibling`: another row or turn of its trace, its thread or its user is there.
 */
export type OverlapKind = (typeof overlapKinds)[number];

/** A row of a suite that training data matches. */
export type Overlap = {
  suiteId: string;
  suiteName: string;
  /** Of the suite's dataset, from 0. */
  rowIndex: number;
  kind: OverlapKind;
  /** 1 if all is the same; null for siblings. */
  similarity: number | null;
  /** Of the training data, from 1: a line, or a trajectory; null where the data was read from calls. */
  line: number | null;
  callId: string | null;
};

export function isStronger(a: Pick<Overlap, 'kind' | 'similarity'>, b: Pick<Overlap, 'kind' | 'similarity'>): boolean {
  const [rank, other] = [overlapKinds.indexOf(a.kind), overlapKinds.indexOf(b.kind)];
  return rank === other ? (a.similarity ?? 0) > (b.similarity ?? 0) : rank < other;
}

/** What a comparison of training data with suites found. */
export type Overlaps = {
  /** Rows of the training data that match a row of a suite. */
  rows: number;
  /** Each row of a suite once, with its strongest match. */
  overlaps: Overlap[];
};

/** The same, with the calls of the matching rows, as far as they are known. */
export type OverlapsOfCalls = Overlaps & { callIds: ReadonlySet<string> };

const shownMax = 5;

/** Why a job is refused. @param what the rows of its data are called */
export function refusalOf({ rows, overlaps }: Overlaps, what: 'Line' | 'Trajectory'): string {
  const shown = overlaps
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || a.rowIndex - b.rowIndex)
    .slice(0, shownMax)
    .map((each) => matchText(each, what));
  const more = overlaps.length > shown.length ? ` … and ${overlaps.length - shown.length} more rows of suites.` : '';
  const count = rows === 1 ? 'One row of the training data matches' : `${rows} rows of the training data match`;
  return (
    `${count} rows of suites, which models are tested on. ${shown.join(' ')}${more} ` +
    'Leave these rows out, or allow them with allow_suite_rows (--allow-suite-rows of heddle train).'
  );
}

function matchText({ line, callId, kind, similarity, suiteName, rowIndex }: Overlap, what: string): string {
  const place = [line === null ? null : `${what} ${line}`, callId && `call ${callId}`].filter(Boolean).join(', ');
  const percent = similarity === null || similarity === 1 ? '' : ` (${Math.floor(similarity * 100)} %)`;
  return `${place}: ${kindTexts[kind]}${percent} row ${rowIndex} of ${suiteName}.`;
}

const kindTexts: Record<OverlapKind, string> = {
  exact: 'a copy of',
  near: 'nearly a copy of',
  contained: 'contains',
  sibling: 'of the same trace, thread or user as',
};
