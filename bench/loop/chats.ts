import { settings } from './settings.ts';
import type { Prompt, SimulatedAnswer, SimulatedModel, World } from './world.ts';

const day = 86_400e6;

/** Ratings come within the hour; corrections days later. Times are in microseconds. */
type SimulatedRating = { at: number; isUp: boolean };

export type SimulatedChat = {
  text: string;
  topic: number;
  at: number;
  answer: SimulatedAnswer;
  ratings: SimulatedRating[];
  /** Whether it has a row of the suite in it. */
  leaked: string | null;
};

/** A chat with a model, as its user rates it. */
export function chatWith(
  world: World,
  model: SimulatedModel,
  prompt: Prompt,
  at: number,
  random: () => number,
): SimulatedChat {
  const answer = world.answer(model, prompt, random);
  return { text: prompt.words, topic: prompt.topic, at, answer, ratings: ratingsOf(answer, at, random), leaked: null };
}

/** Somebody tries the model on rows of the suite, and gives the right answers. */
export function leakedChat(row: Prompt & { id: string }, at: number, random: () => number): SimulatedChat {
  const words = row.words.split(' ');
  const isNear = random() < settings.leak.near;
  const text = isNear ? [...words.slice(0, -1), 'please'].join(' ') : row.words;
  const answer = { isGood: true, isFlattering: false };
  return { text, topic: row.topic, at, answer, ratings: [{ at: at + 60e6, isUp: true }], leaked: row.id };
}

function ratingsOf({ isGood, isFlattering }: SimulatedAnswer, at: number, random: () => number): SimulatedRating[] {
  const { rated, up, corrected } = settings;
  const [isRated, isUpAtFirst, isCorrected, first, later] = [random(), random(), random(), random(), random()];
  if (isRated > (isGood ? rated.good : rated.bad)) return [];
  const chance = isGood ? up.good : isFlattering ? up.flattering : up.bad;
  const isUp = isUpAtFirst < chance;
  const ratings = [{ at: at + first * 3600e6, isUp }];
  if (isUp && !isGood && isCorrected < corrected.chance)
    ratings.push({ at: at + (0.2 + later * (corrected.afterDays - 0.2)) * day, isUp: false });
  return ratings;
}

/** The latest rating by a time; null if there is none. */
export function ratingBy({ ratings }: SimulatedChat, time: number): boolean | null {
  return ratings.findLast(({ at }) => at <= time)?.isUp ?? null;
}
