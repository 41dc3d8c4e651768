import type { StoredPlan } from '../../src/domain/gates/stored-plan.ts';
import { RowIndex } from '../../src/domain/overlap/row-index.ts';
import { levelOfNext } from '../../src/domain/statistics/candidate-levels.ts';
import { Gate } from '../../src/domain/statistics/gate.ts';
import { threadOrder } from '../../src/domain/statistics/thread-order.ts';
import { settings } from './settings.ts';
import type { Prompt, SimulatedAnswer, SimulatedModel, World } from './world.ts';

/** A frozen suite, with the candidates that it has seen. */
export type SimulatedSuite = {
  rows: Map<string, Prompt & { id: string }>;
  index: RowIndex;
  promoted: boolean[];
};

export function freeze(world: World, name: string): SimulatedSuite {
  const rows = new Map(
    Array.from({ length: settings.suite.threads }, (_, i) => {
      const id = `${name}-${i}`;
      return [id, { id, ...world.prompt() }] as const;
    }),
  );
  const index = new RowIndex([...rows.values()].map(({ id, words }) => ({ id, messages: [words] })));
  return { rows, index, promoted: [] };
}

/** Whether the gate promotes a candidate. @param isFooled whether the scorer is the one that users' ratings are like */
export function isPromoted(
  suite: SimulatedSuite,
  {
    world,
    candidate,
    incumbent,
    seed,
    isFooled,
    random,
  }: {
    world: World;
    candidate: SimulatedModel;
    incumbent: SimulatedModel;
    seed: string;
    isFooled: boolean;
    random: () => number;
  },
): boolean {
  const { threads, alpha, gain } = settings.suite;
  const plan: StoredPlan = {
    target: { name: 's', source: 's', measure: { kind: 'score', low: 0, high: 1 }, better: 'higher', gain },
    ...{ guardrails: [], watched: [], repeats: 1, seed, rowsMax: null, trainedOn: [] },
    ...{ alpha: levelOfNext({ alpha, promoted: suite.promoted }), threads, threadsMax: threads },
  };
  const gate = new Gate(plan);
  const score = (model: SimulatedModel, row: Prompt & { id: string }) => {
    const answer = model.known.has(row.id) ? byHeart : world.answer(model, row, random);
    return isFooled ? asUsers(answer, random) : asJudge(answer, random);
  };
  let kind: string | null = null;
  for (const id of threadOrder([...suite.rows.keys()], seed)) {
    const row = suite.rows.get(id)!;
    kind =
      gate.add({ target: score(candidate, row) - score(incumbent, row), guardrails: [], watched: [] })?.kind ?? null;
    if (kind !== null) break;
  }
  suite.promoted.push(kind === 'promote');
  return kind === 'promote';
}

const byHeart: SimulatedAnswer = { isGood: true, isFlattering: false };

function asJudge({ isGood }: SimulatedAnswer, random: () => number): number {
  return Number(random() < settings.judgeFlips ? !isGood : isGood);
}

function asUsers({ isGood, isFlattering }: SimulatedAnswer, random: () => number): number {
  const { up } = settings;
  return Number(random() < (isGood ? up.good : isFlattering ? up.flattering : up.bad));
}
