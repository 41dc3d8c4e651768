import { complement, type Range } from '../utf8-classes.ts';
import { after, classOf, includesEmpty, keyOf, type Language } from './language.ts';

/** A state: whether a string may end here, and where each class of characters leads. */
export type State = { language: Language; mayEnd: boolean; steps: { ranges: readonly Range[]; to: number }[] };

const statesMax = 500;
/** Of all states together; each state tries every class of characters that the language distinguishes. */
const workMax = 300_000;

/** A deterministic automaton of a language. The first state is the start. @throws if it is too large */
export function automatonOf(language: Language): State[] {
  const segments = segmentsOf(language);
  const indices = new Map<string, number>();
  const states: State[] = [];
  let work = 0;
  const indexOf = (state: Language): number => {
    const key = keyOf(state);
    const known = indices.get(key);
    if (known !== undefined) return known;
    work += key.length * segments.length;
    if (states.length >= statesMax || work > workMax) throw new Error('it is too large to combine');
    indices.set(key, states.length);
    states.push({ language: state, mayEnd: includesEmpty(state), steps: [] });
    return states.length - 1;
  };
  indexOf(language);
  for (let index = 0; index < states.length; index++) {
    const targets = new Map<number, Range[]>();
    for (const segment of segments) {
      const to = indexOf(after(states[index]!.language, segment[0]));
      targets.set(to, [...(targets.get(to) ?? []), segment]);
    }
    states[index]!.steps = [...targets].map(([to, ranges]) => {
      const joined = classOf(ranges);
      return { ranges: joined.kind === 'class' ? joined.ranges : [], to };
    });
  }
  return states;
}

/** All code points, split where the language treats them differently. */
function segmentsOf(language: Language): Range[] {
  const starts = new Set<number>([0]);
  const visit = (each: Language): void => {
    if (each.kind === 'class') {
      for (const [from, to] of each.ranges) starts.add(from).add(to + 1);
    } else if (each.kind === 'repeat' || each.kind === 'not') visit(each.body);
    else for (const part of each.kind === 'choice' ? each.options : each.parts) visit(part);
  };
  visit(language);
  const [[, last]] = complement([]) as [Range];
  const sorted = [...starts].filter((start) => start <= last).sort((a, b) => a - b);
  return sorted.map((start, index): Range => [start, (sorted[index + 1] ?? last + 1) - 1]);
}
