import { concatenated, runsOf, setOf, unitsOf } from './units.ts';

/** How many words make a shingle, the unit in which texts are compared. */
const shingleUnits = 3;
/** Runs of this length are what long texts are searched for. */
export const runUnits = 5;

/** A text as it is compared. */
export type ReadText = {
  units: Uint32Array;
  /** Equal for texts that differ only in case, punctuation and spaces. */
  digest: string;
  /** The runs of three words, as a set. */
  shingles: Uint32Array;
};

export function readText(text: string): ReadText {
  return ofUnits(unitsOf(text));
}

/** Several texts as one. */
export function joined(texts: readonly ReadText[]): ReadText {
  return ofUnits(concatenated(texts.map(({ units }) => units)));
}

function ofUnits(units: Uint32Array): ReadText {
  return { units, digest: digestOf(units), shingles: setOf(runsOf(units, shingleUnits)) };
}

/** Two hashes of 32 bits over all units, and how many there are. */
function digestOf(units: Uint32Array): string {
  let [a, b] = [0x9e3779b9, 0x85ebca6b];
  for (const unit of units) {
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b, 31) + (unit ^ (b >>> 15));
  }
  return `${units.length}.${a >>> 0}.${b >>> 0}`;
}
