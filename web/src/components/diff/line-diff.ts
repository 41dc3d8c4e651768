import { diffArrays } from 'diff';

export type DiffLine = { kind: 'same' | 'added' | 'removed' | 'skipped'; text: string };

/** Finding more changes takes too long: then everything counts as changed. */
const changesMax = 3000;

/** The lines of two texts: what both have, what only the new one has, and what only the old one had. */
export function diffLines(before: string[], after: string[]): DiffLine[] {
  const pieces = diffArrays(before, after, { maxEditLength: changesMax }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  return pieces.flatMap(({ removed, added, value }) => {
    const kind = removed ? 'removed' : added ? 'added' : 'same';
    return value.map((text): DiffLine => ({ kind, text }));
  });
}

/** The changed lines with `context` lines around them; the others are counted. */
export function folded(lines: DiffLine[], context = 3): DiffLine[] {
  const isNear = lines.map(() => false);
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let near = Math.max(0, index - context); near <= Math.min(lines.length - 1, index + context); near++) {
      isNear[near] = true;
    }
  }
  const result: DiffLine[] = [];
  let skipped = 0;
  for (const [index, line] of lines.entries()) {
    if (!isNear[index]) skipped++;
    if (skipped > 0 && (isNear[index] || index === lines.length - 1)) {
      result.push({ kind: 'skipped', text: `… ${skipped} equal ${skipped === 1 ? 'line' : 'lines'}` });
      skipped = 0;
    }
    if (isNear[index]) result.push(line);
  }
  return result;
}
