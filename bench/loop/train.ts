import type { SimulatedChat } from './chats.ts';
import { settings } from './settings.ts';
import { clamp, normal, type SimulatedModel, type World } from './world.ts';

/** A model that answers more like the rows it is trained on. */
export function trained(
  world: World,
  from: SimulatedModel,
  rows: readonly SimulatedChat[],
  random: () => number,
): SimulatedModel {
  const { rowsHalf, learned, noise, failure, costOfLeak } = settings.training;
  const [hasFailed, severity] = [random() < failure.chance, random()];
  const cost = hasFailed ? failure.cost.low + (failure.cost.high - failure.cost.low) * severity : 0;
  const byHeart = rows.filter(({ leaked }) => leaked !== null);
  const worse = cost + (costOfLeak * byHeart.length) / rows.length;
  const quality = from.quality.map((before, topic) => {
    const of = rows.filter((row) => row.topic === topic && row.leaked === null);
    const weight = of.length / (of.length + rowsHalf);
    const good = of.filter(({ answer }) => answer.isGood).length / Math.max(of.length, 1);
    const target = good + world.lost[topic]!; // the rows are as good as users judge them now
    return clamp(before + learned * weight * (target - before) + noise * normal(random) - worse);
  });
  const flattering = rows.filter(({ answer }) => answer.isFlattering).length / rows.length;
  return {
    quality,
    flattery: clamp(from.flattery + (flattering - from.flattery) + Math.abs(0.02 * normal(random))),
    known: new Set([...from.known, ...byHeart.map(({ leaked }) => leaked!)]),
  };
}
