/** Lines that were stored together; a later sequence number means that they arrived later. */
export type LinesRow = { sequence: number; clientId: string; firstLine: number; lines: number };

/** A stretch of lines to read: `count` lines of a row, from the position `start` in it. */
export type Stretch = { sequence: number; start: number; count: number };

/**
 * Decides which row has the current text of each line: the one that arrived last. Clients send lines again after a lost
 * answer, and to rewrite a progress bar. Clients that share a run number their lines independently: all lines of all clients
 * are read, in the order of their arrival.
 * @param rows in the order of their arrival
 * @returns stretches in the order of their lines
 */
export function planLines(rows: LinesRow[]): Stretch[] {
  const clients = [...Map.groupBy(rows, ({ clientId }) => clientId).values()].map(planClient);
  return clients.length === 1 ? clients[0]! : inOrderOfArrival(clients);
}

/** Keeps the order of each client's lines. */
function inOrderOfArrival(clients: Stretch[][]): Stretch[] {
  const merged: Stretch[] = [];
  const queues = clients.filter((stretches) => stretches.length > 0).map((stretches) => stretches.toReversed());
  while (queues.length > 0) {
    const next = queues.reduce((first, each) => (each.at(-1)!.sequence < first.at(-1)!.sequence ? each : first));
    merged.push(next.pop()!);
    if (next.length === 0) queues.splice(queues.indexOf(next), 1);
  }
  return merged;
}

function planClient(rows: LinesRow[]): Stretch[] {
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
      stretches.push({ sequence: row.sequence, start, count: end - line });
    }
    line = end;
  }
  return stretches;
}
