import { fastRandom } from '../support/fast-random.ts';
import { settings } from './settings.ts';

/** A question. A model with a higher quality in its topic answers more of the same questions well. */
export type Prompt = { topic: number; difficulty: number; words: string };

/** A simulated model, of which everything is known. */
export type SimulatedModel = {
  /** The chance of a good answer, for each topic, without flattery. */
  quality: number[];
  /** The chance that an answer flatters. */
  flattery: number;
  /** Rows of suites that it has learned by heart. */
  known: Set<string>;
};

export type SimulatedAnswer = { isGood: boolean; isFlattering: boolean };

/** Users, what they ask and how that changes. It is the same for all variants of a loop with the same seed. */
export class World {
  readonly #random: () => number;
  /** Logarithms of the weights of topics. */
  #weights = new Array<number>(settings.topics).fill(0);
  /** What answers to each topic have lost since the start. */
  readonly lost = new Array<number>(settings.topics).fill(0);
  #count = 0;

  constructor(seed: number, loop: number) {
    this.#random = fastRandom(seed, loop * 16);
  }

  /** What users ask, and what they want, changes. */
  drift(): void {
    this.#weights = this.#weights.map((weight) => weight + settings.topicDrift * normal(this.#random));
    this.lost[Math.floor(this.#random() * settings.topics)]! += settings.wantsDrift;
  }

  firstModel(): SimulatedModel {
    const { low, high } = settings.startQuality;
    const quality = this.lost.map(() => low + (high - low) * this.#random());
    return { quality, flattery: settings.startFlattery, known: new Set() };
  }

  prompt(): Prompt {
    const shares = this.shares();
    let left = this.#random();
    const found = shares.findIndex((share) => {
      left -= share;
      return left < 0;
    });
    const topic = found === -1 ? shares.length - 1 : found;
    return { topic, difficulty: this.#random(), words: this.#words(topic) };
  }

  /** The shares of topics at the moment. */
  shares(): number[] {
    const weights = this.#weights.map(Math.exp);
    const total = weights.reduce((sum, each) => sum + each, 0);
    return weights.map((weight) => weight / total);
  }

  /** The chance of a good answer to what users ask at the moment. */
  truth({ quality, flattery }: SimulatedModel): number {
    const shares = this.shares();
    return shares.reduce((sum, share, topic) => {
      const plain = clamp(quality[topic]! - this.lost[topic]!);
      const flattering = clamp(plain - settings.costOfFlattery);
      return sum + share * ((1 - flattery) * plain + flattery * flattering);
    }, 0);
  }

  answer(model: SimulatedModel, { topic, difficulty }: Prompt, random: () => number): SimulatedAnswer {
    const isFlattering = random() < model.flattery;
    const quality = model.quality[topic]! - this.lost[topic]! - (isFlattering ? settings.costOfFlattery : 0);
    return { isGood: difficulty < quality, isFlattering };
  }

  #words(topic: number): string {
    const words = Array.from({ length: 16 }, () => `w${Math.floor(this.#random() * 4000)}`);
    return `topic${topic} number${this.#count++} ${words.join(' ')}`;
  }
}

export function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** A standard normal number (Box & Muller 1958). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
