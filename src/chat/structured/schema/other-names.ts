import { complement } from '../utf8-classes.ts';
import { anyText, choiceOf, classOf, type Language, literal, noText, sequenceOf } from './language.ts';

/** Each is a state for which the grammar library tries all tokens. */
const branchesMax = 64;

/**
 * Strings other than some names. They differ from all names after a common prefix, which is short if there are many
 * names: further strings are left out.
 */
export function otherThan(names: readonly string[]): Language {
  const root: Branch = { isName: false, next: new Map(), isOpen: true };
  let branches = 1;
  // Level by level, so that the longest prefixes are left out.
  for (let level: [Branch, string[][]][] = [[root, names.map((name) => Array.from(name))]]; level.length > 0; ) {
    level = level.flatMap(([branch, rests]) => {
      branch.isName = rests.some((rest) => rest.length === 0);
      const groups = Map.groupBy(
        rests.filter((rest) => rest.length > 0),
        ([first]) => first!,
      );
      branch.isOpen = branches + groups.size <= branchesMax || branch === root;
      if (!branch.isOpen) return [];
      branches += groups.size;
      return [...groups].map(([first, found]): [Branch, string[][]] => {
        const next: Branch = { isName: false, next: new Map(), isOpen: true };
        branch.next.set(first, next);
        return [next, found.map(([, ...rest]) => rest)];
      });
    });
  }
  return written(root);
}

type Branch = {
  /** A name ends here. */
  isName: boolean;
  next: Map<string, Branch>;
  /** Strings may continue differently from the names. */
  isOpen: boolean;
};

function written({ isName, next, isOpen }: Branch): Language {
  const here = isName ? noText : sequenceOf([]);
  if (!isOpen) return here;
  if (next.size === 0) return isName ? sequenceOf([anyCharacterBut([]), anyText]) : anyText;
  const going = [...next].map(([character, branch]) => sequenceOf([literal(character), written(branch)]));
  return choiceOf([sequenceOf([anyCharacterBut([...next.keys()]), anyText]), ...going, here]);
}

function anyCharacterBut(characters: readonly string[]): Language {
  const codes = characters.map((character) => character.codePointAt(0)!);
  return classOf(complement(codes.map((code) => [code, code] as const)));
}
