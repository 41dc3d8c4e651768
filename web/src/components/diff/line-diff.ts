export type DiffLine = { kind: 'same' | 'added' | 'removed' | 'skipped'; text: string };

/** The lines of two texts: what both have, what only the new one has, and what only the old one had. */
export function diffLines(before: string[], after: string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (end < rest && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return [
    ...before.slice(0, start).map((text): DiffLine => ({ kind: 'same', text })),
    ...changed(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map((text): DiffLine => ({ kind: 'same', text })),
  ];
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

/** Above this many comparisons, everything between the first and the last change counts as changed. */
const cellsMax = 4_000_000;

/** The longest common subsequence keeps the most lines. */
function changed(before: string[], after: string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (before.length * after.length > cellsMax) return [...before.map(removed), ...after.map(added)];
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: 'same', text: before[i]! });
      i++;
      j++;
    } else if (
      j >= after.length ||
      (i < before.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      lines.push(removed(before[i++]!));
    } else {
      lines.push(added(after[j++]!));
    }
  }
  return lines;
}
