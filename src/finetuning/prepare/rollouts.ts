import type { Rollout, RolloutPiece, StepRollouts } from '../../domain/training/rollout.ts';
import type { TrainingRow } from '../../engine/training/row.ts';

/** How many rollouts are wanted. Steps in between are left out evenly. */
export type RolloutsWanted = { stepsMax: number; perStepMax: number };

type Sequence = { ids: Int32Array; isTrained: Uint8Array; advantage: number | null; logprobs: Float32Array | null };

/** Of all rollouts of a job together. */
const bytesMax = 4 * 1024 * 1024;
/** Of one piece of text: its start and its end are kept. */
const charactersMax = 4000;
/** Of one rollout. */
const tokensMax = 1500;

/** Chooses rollouts of steps, within the limits. */
export function takeRollouts<Step>(
  steps: Step[],
  sequencesOf: (step: Step) => Sequence[],
  decode: (ids: number[]) => string,
  { stepsMax, perStepMax }: RolloutsWanted,
): StepRollouts[] {
  const every = Math.max(1, Math.ceil(steps.length / Math.max(1, stepsMax)));
  const chosen = stepsMax === 0 ? [] : [...steps.entries()].filter(([index]) => index % every === 0);
  return chosen.map(([index, step]) => {
    const sequences = sequencesOf(step);
    const rollouts: Rollout[] = [];
    let left = bytesMax / chosen.length;
    for (const sequence of sequences.slice(0, perStepMax)) {
      if (left <= 0) break;
      const rollout = rolloutOf(sequence, decode);
      left -= sizeOf(rollout);
      rollouts.push(rollout);
    }
    return { step: index + 1, rollouts, total: sequences.length };
  });
}

/** The sequences that are packed in a row. */
export function sequencesInRow({ tokens, groups, parents, targets }: TrainingRow): Sequence[] {
  const places = Map.groupBy(tokens.keys(), (place) => groups[place]!);
  const learned = Map.groupBy(targets.places.keys(), (index) => targets.results[index]!);
  return [...learned].map(([group, indices]) => {
    const own = places.get(group)!;
    const parent = parents[own[0]!]!;
    const all = parent === group ? own : [...(places.get(parent) ?? []), ...own];
    const at = new Map(all.map((place, i) => [place, i]));
    const isTrained = new Uint8Array(all.length);
    const logprobs = new Float32Array(all.length).fill(Number.NaN);
    for (const index of indices) {
      const i = at.get(targets.places[index]! + 1)!;
      isTrained[i] = 1;
      logprobs[i] = targets.oldLogprobs?.[index] ?? Number.NaN;
    }
    const ids = Int32Array.from(all, (place) => tokens[place]!);
    return { ids, isTrained, logprobs, advantage: targets.advantages?.[indices[0]!] ?? null };
  });
}

function rolloutOf({ ids, isTrained, advantage, logprobs }: Sequence, decode: (ids: number[]) => string): Rollout {
  const pieces: RolloutPiece[] = [];
  let left = tokensMax;
  for (let start = 0, end = 0; start < ids.length && left > 0; start = end) {
    while (end < ids.length && isTrained[end] === isTrained[start]) end++;
    if (isTrained[start] === 0 || logprobs === null) {
      const text = shortened(decode([...ids.subarray(start, end)]));
      pieces.push({ text, isTrained: isTrained[start] === 1, tokens: null });
      continue;
    }
    const last = Math.min(end, start + left);
    const tokens = tokensOf(ids.subarray(start, last), logprobs.subarray(start, last), decode);
    left -= last - start;
    pieces.push({ text: tokens.map(({ text }) => text).join(''), isTrained: true, tokens });
    if (last < end) pieces.push({ text: `… ${end - last} more tokens`, isTrained: false, tokens: null });
  }
  return { advantage, pieces };
}

/** The text of each token. Tokens that share a character are joined. */
function tokensOf(ids: Int32Array, logprobs: Float32Array, decode: (ids: number[]) => string) {
  const tokens: { text: string; logprob: number | null }[] = [];
  let open: number[] = [];
  for (const [i, id] of ids.entries()) {
    open.push(id);
    const text = decode(open);
    if (text.endsWith('\ufffd') && open.length < 4 && i < ids.length - 1) continue;
    const logprob = logprobs[i - open.length + 1]!;
    tokens.push({ text, logprob: Number.isFinite(logprob) ? logprob : null });
    open = [];
  }
  return tokens;
}

function shortened(text: string): string {
  if (text.length <= charactersMax) return text;
  return `${text.slice(0, charactersMax / 2)} … ${text.slice(-charactersMax / 2)}`.toWellFormed();
}

function sizeOf({ pieces }: Rollout): number {
  return pieces.reduce((sum, { text, tokens }) => sum + 2 * text.length + 40 * (tokens?.length ?? 0), 0);
}
