import type { OperationAnswer } from '../admin/operations.ts';

type Overlaps = OperationAnswer<'sft.preview'>['suites'];

const shownMax = 5;

/** What a preview says about rows of suites in its data. */
export function suiteRows({ rows, overlaps }: Overlaps, what: 'line' | 'trajectory'): [title: string, text: string][] {
  if (rows === 0) return [];
  const first = overlaps.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)).slice(0, shownMax);
  const more = overlaps.length > first.length ? ` … and ${overlaps.length - first.length} more rows of suites` : '';
  return [
    [
      'suites',
      `${rows === 1 ? '1 row matches' : `${rows} rows match`} rows of suites: the job is refused without --allow-suite-rows`,
    ],
    ...first.map(({ line, callId, kind, suiteName, rowIndex }): [string, string] => [
      '',
      `${what} ${line ?? callId}: ${kind}, row ${rowIndex} of ${suiteName}`,
    ]),
    ...(more === '' ? [] : [['', more.trim()] as [string, string]]),
  ];
}
