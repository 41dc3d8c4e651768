import type { OperationAnswer } from '../admin/operations.ts';
import { table } from './table.ts';

type Report = OperationAnswer<'import.tensorzero'>;

/** What an import from TensorZero did, for a terminal: how many rows of each table there were, and how many are in heddle. */
export function describeTensorZeroImport({ project, tables, made, datasets, notes, loss }: Report): string {
  const rows = Object.entries(tables).map(([name, counts]) => {
    const { rows: all, added, known, outdated, refused, stored } = counts;
    return [name, ...[all, added, known, outdated, refused, stored].map(String)];
  });
  const parts = [
    `Imported into ${project}:\n`,
    rows.length === 0 ? '' : table(['TABLE', 'ROWS', 'NEW', 'KNOWN', 'OUTDATED', 'REJECTED', 'IN HEDDLE'], rows),
    section(
      ['CONFIGURATION', 'NAME', 'OUTCOME'],
      made.map(({ what, name, outcome }) => [what, name, outcome]),
    ),
    section(
      ['DATASET', 'ROWS', 'VERSION'],
      datasets.map(({ name, rows: count, version }) => [name, String(count), `v${version}`]),
    ),
    ...notes.map((note) => `\nNote: ${note}\n`),
    rows.length === 0 || loss.length > 0
      ? ''
      : '\nEvery row is in heddle, apart from those that are outdated or were rejected.\n',
    ...loss.map((name) => `\nNot every row of ${name} is in heddle. Repeat the import.\n`),
  ];
  return parts.join('');
}

function section(heading: string[], rows: string[][]): string {
  return rows.length === 0 ? '' : `\n${table(heading, rows)}`;
}
