import { type Table, tables } from './tables.ts';

const reasonsMax = 20;

/** What became of the rows of a table. */
export type Counts = {
  /** Rows in the files. */
  rows: number;
  added: number;
  /** Rows that an earlier import has stored. */
  known: number;
  /** Rows that TensorZero has deleted or replaced, and rows that are in the files more than once. */
  outdated: number;
  refused: number;
  /** Rows whose data is in heddle afterwards: read back, not assumed. */
  stored: number;
};

export type Report = {
  tables: Partial<Record<Table, Counts>>;
  /** Parts of the configuration, each with what was made of it. */
  made: { what: string; name: string; outcome: string }[];
  datasets: { name: string; rows: number; version: number }[];
  notes: string[];
  refused: number;
  /** The reasons for the first rejections. */
  reasons: string[];
};

export function newReport(): Report {
  return { tables: {}, made: [], datasets: [], notes: [], refused: 0, reasons: [] };
}

export function countsOf(report: Report, table: Table): Counts {
  report.tables[table] ??= { rows: 0, added: 0, known: 0, outdated: 0, refused: 0, stored: 0 };
  return report.tables[table];
}

/** @param table of which the row is, if that is known */
export function refuse(report: Report, reason: string, table?: Table): void {
  report.refused++;
  if (table !== undefined) countsOf(report, table).refused++;
  if (report.reasons.length < reasonsMax) report.reasons.push(reason);
}

/** The tables whose rows are not all in heddle, apart from those that were rejected or are outdated. */
export function tablesWithLoss({ tables: found }: Report): Table[] {
  return tables.filter((table) => {
    const counts = found[table];
    return counts !== undefined && counts.stored + counts.outdated + counts.refused !== counts.rows;
  });
}
