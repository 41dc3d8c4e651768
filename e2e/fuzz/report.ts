import type { Finding, Tally } from './fuzz.ts';

/** How often each operation was answered with what, as lines of a table. */
export function tallyTable(tally: Tally): string {
  const columns = ['2xx', '4xx', '5xx', 'none'];
  const width = Math.max(...[...tally.keys()].map((name) => name.length));
  const lines = [...tally].map(([name, counts]) => {
    return `${name.padEnd(width)} ${columns.map((column) => String(counts[column] ?? 0).padStart(7)).join('')}`;
  });
  return [`${''.padEnd(width)} ${columns.map((column) => column.padStart(7)).join('')}`, ...lines].join('\n');
}

export function findingsText(findings: Iterable<Finding>): string {
  return [...findings]
    .map(({ operation, fault, request, answer, log, times }) => {
      const parts = [`${operation}: ${fault}${times > 1 ? ` (${times} times)` : ''}`, request, answer, log];
      return parts.filter(Boolean).join('\n  ');
    })
    .join('\n\n');
}
