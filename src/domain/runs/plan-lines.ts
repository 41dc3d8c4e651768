/** Lines that were stored together; a later sequence number means that they arrived later. */
export type LinesRow = { sequence: number; firstLine: number; lines: number };

/** A stretch of lines to read: `count` lines of a row, from the position `start` in it. */
export type Stretch = { sequence: number; start: number; count: number; firstLine: number };

/**
 * Decides which row has the current text of each line: the one that arrived last. Clients send lines again after a lost
 * answer, and to rewrite a progress bar.
 * @param rows in the order of their arrival
 * @returns stretches in the order of their lines
 */
export function planLines(rows: LinesRow[]): Stretch[] {
  const owners = new Int32Array(rows.reduce((end, row) => Math.max(end, row.firstLine + row.lines), 0)).fill(-1);
  for (const [index, { firstLine, lines }] of rows.entries()) owners.fill(index, firstLine, firstLine + lines);
  const stretches: Stretch[] = [];
  for (let line = 0; line < owners.length; ) {
    const owner = owners[line]!;
    let end = line + 1;
    while (end < owners.length && owners[end] === owner) end++;
    const row = rows[owner];
    if (row) {
      const start = line - row.firstLine;
      stretches.push({ sequence: row.sequence, start, count: end - line, firstLine: line });
    }
    line = end;
  }
  return stretches;
}
