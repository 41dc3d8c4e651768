import { Assigner } from '../../src/domain/policies/assign.ts';
import { type AssignedAnswer, type Rating, VersionOutcomes } from '../../src/domain/policies/outcomes.ts';
import type { PolicyPlan } from '../../src/domain/policies/plan.ts';
import { nextVersion, type PolicyVersion } from '../../src/domain/policies/version.ts';
import { chatWith, type SimulatedChat } from './chats.ts';
import { settings } from './settings.ts';
import type { SimulatedModel, World } from './world.ts';

const day = 86_400e6;
/** The time between two chats in a rollout. */
const everyUs = 30e6;
const looksEvery = 100;

type Parts = {
  world: World;
  candidate: SimulatedModel;
  incumbent: SimulatedModel;
  /** Of the policy, which gives the keys of experiments. */
  key: string;
  windowDays: number;
  at: number;
  random: () => number;
};

/** Gives a candidate its stages. @returns whether it has all traffic at the end, and not returned */
export function rollOut({ world, candidate, incumbent, key, windowDays, at, random }: Parts): boolean {
  const { stages, units, harm, alpha } = settings.rollout;
  const variants = ['now', 'next'].map((name) => ({ name, model: name, prompt: null }));
  const reward = 'feedback.[thumbs].payload.up';
  const scorer = { reward, low: 0, high: 1, windowSeconds: windowDays * 86_400, missing: 'ignore' as const, harm };
  const before: PolicyPlan = {
    ...{ variants: variants.slice(0, 1), incumbent: 'now', scorers: [scorer], alpha },
    traffic: { kind: 'split', shares: { now: 1 } },
  };
  let version: PolicyVersion = nextVersion(key, null, before);
  let time = at;
  let thread = 0;
  for (const stage of stages.keys()) {
    const traffic = { kind: 'stages' as const, candidate: 'next', stages: [...stages], stage: stage + 1 };
    version = nextVersion(key, version, { ...before, variants, traffic });
    const assigner = new Assigner(version);
    const outcomes = new VersionOutcomes(version);
    const chats = new Map<string, SimulatedChat>();
    for (let counted = 0; counted < units; ) {
      for (let i = 0; i < looksEvery; i++, time += everyUs) {
        const unit = { kind: 'thread' as const, id: String(thread++) };
        const { variant, isMoved } = assigner.assign(unit);
        const model = variant.name === 'next' ? candidate : incumbent;
        const callId = unit.id;
        chats.set(callId, chatWith(world, model, world.prompt(), time, random));
        const answer: AssignedAnswer = {
          callId,
          unit,
          variant: variant.name,
          isMoved,
          endedAt: time,
          hasFailed: false,
        };
        outcomes.add(answer);
      }
      // All windows of what was asked so far have closed: who comes later does not change that.
      const until = time + windowDays * day;
      for (const due of outcomes.due(until)) {
        outcomes.close(due, ratingsOf(chats, outcomes.callsOf(due)));
        if (outcomes.breach() !== null) return false;
      }
      counted = outcomes.look(until).scorers[0]!.variants[1]!.counted;
    }
    time += windowDays * day;
  }
  return true;
}

function ratingsOf(chats: Map<string, SimulatedChat>, calls: string[]): Rating[] {
  return calls.flatMap((callId) =>
    chats
      .get(callId)!
      .ratings.map(({ at, isUp }) => ({ callId, type: 'thumbs', payload: { up: isUp }, createdAt: at })),
  );
}
