import { invalidInput } from '../../../util/failures.ts';
import type { RowTargets, TrainingRow } from '../row.ts';
import { longestSequence } from '../run/split-rows.ts';

/** @throws Failure for a row that cannot be computed */
export function checkRows(rows: readonly TrainingRow[], vocabSize: number, sequenceTokensMax: number): void {
  if (rows.every(({ targets }) => targets.tokens.length === 0)) throw invalidInput('No token has a loss.');
  for (const [i, row] of rows.entries()) {
    const refuse = (what: string) => {
      throw invalidInput(`Row ${i} ${what}.`);
    };
    const { length } = row.tokens;
    const perToken = [row.positions, row.groups, row.parents];
    if (perToken.some((each) => each.length !== length))
      refuse('does not have one position, group and parent for each token');
    if (row.positions.some((position) => position < 0)) refuse('has a negative position');
    const isToken = (token: number) => token >= 0 && token < vocabSize;
    if (!row.tokens.every(isToken)) refuse(`has a token outside the vocabulary of ${vocabSize}`);
    checkGroups(row, refuse);
    const longest = longestSequence([row]);
    if (longest > sequenceTokensMax)
      refuse(`has a sequence of ${longest} tokens; at most ${sequenceTokensMax} were reserved`);
    checkTargets(row.targets, refuse);
    if (!row.targets.tokens.every(isToken)) refuse(`has a target outside the vocabulary of ${vocabSize}`);
    if (!row.targets.places.every((place) => place >= 0 && place < length))
      refuse('has a target that follows no token');
  }
}

/** Tokens attend only to their group and its parent, so the parent of a parent would have no effect. */
function checkGroups({ groups, parents }: TrainingRow, refuse: (what: string) => void): void {
  const parentOf = new Map<number, number>();
  for (const [i, group] of groups.entries()) {
    if ((parentOf.get(group) ?? parents[i]) !== parents[i]) refuse(`has a group with two parents, ${group}`);
    parentOf.set(group, parents[i]!);
  }
  for (const parent of parentOf.values()) {
    if ((parentOf.get(parent) ?? parent) !== parent) refuse(`has a parent that has a parent, ${parent}`);
  }
}

function checkTargets(targets: RowTargets, refuse: (what: string) => void): void {
  const { length } = targets.tokens;
  for (const [name, values] of Object.entries(targets)) {
    if (values !== undefined && values.length !== length) refuse(`has ${values.length} ${name} for ${length} targets`);
  }
}
