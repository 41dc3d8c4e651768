/** Rows as aligned columns, under a heading. */
export function table(heading: string[], rows: string[][]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return all.map((row) => `${line(row)}\n`).join('');
}
