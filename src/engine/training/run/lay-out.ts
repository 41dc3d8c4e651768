import type { TrainingRow } from '../row.ts';

/** The tokens of a run as inputs of the graph: lines of equal length, with parts that do not attend to each other. */
export type Layout = {
  lines: Line[];
  length: number;
  /** The index of each part's first token among the tokens of all lines. */
  starts: number[];
};

/** Padded to the length of lines. Group numbers are unique within a run. */
type Line = { tokens: number[]; positions: number[]; groups: number[]; parents: number[] };

/** Maximum ratio of a run's tokens with padding to its tokens without. */
const fillingMax = 1.25;

/**
 * The cost of attention grows with the square of a line's length, so lines are as long as the longest part, and longer only if
 * there would be too much padding.
 */
export function layOut(parts: readonly TrainingRow[]): Layout {
  const longestFirst = [...parts.keys()].sort((a, b) => parts[b]!.tokens.length - parts[a]!.tokens.length);
  const total = parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  let length = parts.reduce((most, { tokens }) => Math.max(most, tokens.length), 0);
  let lines = fillLines(parts, longestFirst, length);
  while (lines.length * length > fillingMax * total) {
    length = Math.min(total, Math.ceil(length * fillingMax));
    lines = fillLines(parts, longestFirst, length);
  }
  return { length, ...writeLines(parts, lines, length) };
}

/** Each part goes to the first line that has room. */
function fillLines(parts: readonly TrainingRow[], order: number[], length: number): number[][] {
  const lines: { members: number[]; free: number }[] = [];
  for (const part of order) {
    const needed = parts[part]!.tokens.length;
    const fitting = lines.find(({ free }) => free >= needed);
    if (fitting) {
      fitting.members.push(part);
      fitting.free -= needed;
    } else {
      lines.push({ members: [part], free: length - needed });
    }
  }
  return lines.map(({ members }) => members);
}

function writeLines(parts: readonly TrainingRow[], filled: number[][], length: number): Omit<Layout, 'length'> {
  const starts = parts.map(() => 0);
  let groups = 0;
  const lines = filled.map((members, number) => {
    const line: Line = { tokens: [], positions: [], groups: [], parents: [] };
    for (const member of members) {
      const part = parts[member]!;
      const numbers = new Map<number, number>();
      const numberOf = (group: number) => {
        if (!numbers.has(group)) numbers.set(group, groups++);
        return numbers.get(group)!;
      };
      starts[member] = number * length + line.tokens.length;
      line.tokens.push(...part.tokens);
      line.positions.push(...part.positions);
      for (const group of part.groups) line.groups.push(numberOf(group));
      for (const parent of part.parents) line.parents.push(numberOf(parent));
    }
    return line;
  });
  return { lines, starts };
}
