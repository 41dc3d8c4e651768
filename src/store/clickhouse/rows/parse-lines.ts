import { setImmediate } from 'node:timers/promises';
import { parseLargeLine } from './large-lines.ts';

/**
 * Decodes and parses a large answer in pieces, yielding to other requests between them. A thread parses lines that are
 * longer than a piece.
 */
export async function parseLines<Row>(bytes: Buffer): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = endOfPiece(bytes, start);
    const piece = bytes.subarray(start, end);
    if (piece.length > bytesInTurn) rows.push(await parseLargeLine<Row>(piece));
    else for (const line of piece.toString().split(lineFeed)) if (line !== '') rows.push(JSON.parse(line));
    start = end;
    if (start < bytes.length) await setImmediate();
  }
  return rows;
}

/** As many whole lines as fit into a turn; at least one. */
function endOfPiece(bytes: Buffer, start: number): number {
  if (bytes.length - start <= bytesInTurn) return bytes.length;
  const lastFitting = bytes.lastIndexOf(lineFeed, start + bytesInTurn - 1);
  const end = lastFitting >= start ? lastFitting : bytes.indexOf(lineFeed, start);
  return end < 0 ? bytes.length : end + 1;
}

const lineFeed = '\n';
const bytesInTurn = 1024 * 1024;
