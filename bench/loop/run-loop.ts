import { readText } from '../../src/domain/overlap/read-text.ts';
import { fastRandom } from '../support/fast-random.ts';
import { chatWith, leakedChat, ratingBy, type SimulatedChat } from './chats.ts';
import { freeze, isPromoted } from './gate.ts';
import { rollOut } from './roll-out.ts';
import { type Part, settings } from './settings.ts';
import { trained } from './train.ts';
import { World } from './world.ts';

const day = 86_400e6;

export type LoopResult = {
  /** The chance of a good answer to what users ask after the last turn: of the first model, and of that in use. */
  first: number;
  last: number;
  /** The chance of a good answer before the first turn. */
  start: number;
  /** For each turn, the chance of a good answer of the model that is in use after it. */
  quality: number[];
  /** Candidates that got all traffic, and those that were truly worse than the model before. */
  promoted: number;
  worse: number;
  /** Candidates that the gate promoted and whose traffic was returned. */
  returned: number;
  /** Rows of suites among the chats, and those that were trained on. */
  leaked: number;
  trainedOnLeaked: number;
};

/** Runs the turns of one loop. @param off a part that is switched off; null for none */
export function runLoop(seed: number, loop: number, off: Part | null): LoopResult {
  const world = new World(seed, loop);
  const stream = (purpose: number) => fastRandom(seed, loop * 16 + purpose);
  const [users, training, judge, leaks] = [stream(1), stream(2), stream(3), stream(4)];
  const windowDays = off === 'windows' ? 1 / 24 : settings.windowDays;
  const first = world.firstModel();
  let inUse = first;
  let suite = freeze(world, `${loop}-0`);
  const suites = [suite];
  let chats: (SimulatedChat & { isCopy?: boolean })[] = [];
  const result: LoopResult = {
    start: world.truth(first),
    first: 0,
    last: 0,
    quality: [],
    promoted: 0,
    worse: 0,
    returned: 0,
    leaked: 0,
    trainedOnLeaked: 0,
  };

  for (let turn = 0; turn < settings.turns; turn++) {
    const start = turn * settings.turnDays * day;
    const end = start + settings.turnDays * day;
    if (turn > 0 && turn % settings.suite.turns === 0) {
      suite = freeze(world, `${loop}-${turn}`);
      suites.push(suite);
    }
    for (let i = 0; i < settings.chatsPerTurn; i++) {
      const at = start + ((i + users()) / settings.chatsPerTurn) * (end - start);
      chats.push(chatWith(world, inUse, world.prompt(), at, users));
    }
    chats.push(...leak(start));
    chats = chats.slice(-4 * settings.chatsPerTurn);

    const rows = collect(end);
    result.trainedOnLeaked += rows.filter(({ leaked }) => leaked !== null).length;
    if (rows.length >= settings.training.rowsLeast) {
      const candidate = trained(world, inUse, rows, training);
      const seedOfGate = `${seed} ${loop} ${turn}`;
      const asked = {
        world,
        candidate,
        incumbent: inUse,
        seed: seedOfGate,
        isFooled: off === 'held-out scorer',
        random: judge,
      };
      if (off === 'gate' || isPromoted(suite, asked)) {
        const parts = { world, candidate, incumbent: inUse, key: seedOfGate, windowDays, at: end, random: users };
        const [before, after] = [world.truth(inUse), world.truth(candidate)];
        if (rollOut(parts)) {
          result.promoted++;
          if (after < before) result.worse++;
          inUse = candidate;
        } else result.returned++;
      }
    }
    world.drift();
    result.quality.push(world.truth(inUse));
  }
  return { ...result, first: world.truth(first), last: world.truth(inUse) };

  function leak(at: number): SimulatedChat[] {
    const { chance, rows } = settings.leak;
    const [happens, many] = [leaks() < chance, leaks()];
    if (!happens) return [];
    const count = Math.round(rows.low + (rows.high - rows.low) * many);
    const all = [...suite.rows.values()];
    const found = Array.from({ length: count }, () => leakedChat(all[Math.floor(leaks() * all.length)]!, at, leaks));
    result.leaked += count;
    return found;
  }

  /** Chats that are rated up and whose windows have closed, the newest first, without those that match rows of the suite. */
  function collect(now: number): SimulatedChat[] {
    const rows: SimulatedChat[] = [];
    for (const chat of chats.toReversed()) {
      if (rows.length === settings.training.rowsMost) break;
      const closesAt = chat.at + windowDays * day;
      if (closesAt > now || ratingBy(chat, closesAt) !== true) continue;
      if (off !== 'wall' && suites.some(({ index }) => index.matches([readText(chat.text)]).length > 0)) continue;
      rows.push(chat);
    }
    return rows;
  }
}
