import type { Transaction } from 'kysely';
import { type ComparedThread, type Estimates, lookAt } from '../../domain/gates/comparison.ts';
import type { GateRecord } from '../../domain/gates/gate-record.ts';
import type { StoredPlan } from '../../domain/gates/stored-plan.ts';
import type { VerdictDocument } from '../../domain/gates/verdict.ts';
import { candidatesLeft, levelOfNext, type SuiteHistory } from '../../domain/statistics/candidate-levels.ts';
import { checkPlan } from '../../domain/statistics/check-plan.ts';
import type { GateLook } from '../../domain/statistics/gate.ts';
import { differenceBounds } from '../../domain/statistics/plan.ts';
import { threadsNeeded } from '../../domain/statistics/threads-needed.ts';
import type { Suite } from '../../domain/suites/suite.ts';
import {
  addGate,
  type EarlierGate,
  earlierGates,
  endGate,
  findEnvelope,
  findGate,
  type GateEnd,
  listGates,
  lockSuite,
  markStarted,
} from '../../store/postgres/gates/gates.ts';
import {
  type AddedThread,
  addThread,
  countCleanThreads,
  type GatePoint,
  lastEstimates,
  listPoints,
  listThreads,
} from '../../store/postgres/gates/threads.ts';
import type { Database } from '../../store/postgres/schema.ts';
import { notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import { openSigner, type Signer } from './signer.ts';

/** A gate that is planned, except for its share of the suite's α. */
export type PlannedGate = Pick<GateRecord, 'id' | 'candidate' | 'incumbent' | 'evaluationRef'> & {
  suite: Suite;
  plan: Omit<StoredPlan, 'alpha'>;
};

/** What earlier candidates leave of a suite. */
export type SuiteUse = {
  candidates: number;
  promoted: number;
  /** The level of the next candidate. */
  nextAlpha: number;
  /** How many more the suite can decide if none of them is promoted: at 0, fresh rows are due. Null without a target. */
  candidatesLeft: number | null;
};

export type GateProgress = {
  look: GateLook;
  /** Null before the first thread. */
  estimates: Estimates | null;
  points: GatePoint[];
  /** That were answered so far, in clean threads and others. */
  rows: number;
  threads: number;
  /** Of the target's differences in clean threads; null before the first. */
  meanSquare: number | null;
};

/** Called in each transaction that writes something about a gate. @throws if another process has taken it */
export type GateFence = (transaction?: Transaction<Database>) => Promise<void>;

/** Comparisons of candidates with the incumbent. `jobs/tasks/run-gate.ts` runs them. */
export type Gates = {
  /**
   * Stores a plan with the level that the suite has left for it, together with the job that runs it.
   * @throws Failure for a plan that cannot be decided
   */
  add(
    gate: PlannedGate,
    owner: Owner,
    enqueue: (transaction: Transaction<Database>) => Promise<void>,
  ): Promise<GateRecord>;
  /** The newest first. */
  list(page: { suite: string | null; limit: number; offset: number }, owner: Owner): Promise<GateRecord[]>;
  /** How many clean threads were compared so far, by the ids of gates; without those that have compared none. */
  threadCounts(ids: string[]): Promise<Map<string, number>>;
  /** @throws Failure notFound */
  read(id: string, owner: Owner): Promise<GateRecord>;
  /** In the order of the plan. */
  threads(id: string): Promise<ComparedThread[]>;
  /** What is known now, with at most `points` points of how it came about. */
  progress(gate: GateRecord, points: number): Promise<GateProgress>;
  /** @param latest a gate of the suite, whose target is taken for that of the next candidates */
  use(suite: Suite, latest: { plan: StoredPlan; meanSquare: number | null } | null): Promise<SuiteUse>;
  start(id: string): Promise<void>;
  /** @throws the error of the fence */
  addThread(id: string, thread: AddedThread, fence: GateFence): Promise<void>;
  /** Signs and stores the verdict. */
  decide(id: string, document: VerdictDocument, fence: GateFence): Promise<void>;
  fail(id: string, error: string, fence: GateFence): Promise<void>;
  cancel(id: string, fence: GateFence): Promise<void>;
  /** The signed verdict as JSON, and the key that verifies it. @throws Failure if there is none */
  envelope(id: string, owner: Owner): Promise<{ envelope: string; publicKey: string }>;
  publicKey: Signer['publicKey'];
};

export function openGates({ postgres, secretKey }: Pick<Deps, 'postgres' | 'secretKey'>): Gates {
  const signer = openSigner(secretKey);

  const within = (fence: GateFence, work: (db: Transaction<Database>) => Promise<void>) =>
    postgres.db.transaction().execute(async (transaction) => {
      await fence(transaction);
      await work(transaction);
    });
  const end = (id: string, how: GateEnd, fence: GateFence) => within(fence, (db) => endGate({ db }, id, how));

  async function read(id: string, { project }: Owner): Promise<GateRecord> {
    const found = await findGate(postgres, project.id, id);
    if (found === null) throw notFound(`${project.name} has no gate ${id}.`);
    return found;
  }

  return {
    async add({ suite, plan, ...gate }, owner, enqueue) {
      await postgres.db.transaction().execute(async (transaction) => {
        const earlier = await lockSuite(transaction, suite.id);
        const whole = { ...plan, alpha: levelOfNext(historyOf(suite, earlier)) };
        checkPlan(whole);
        const number = earlier.length + 1;
        const record = { ...gate, suiteId: suite.id, number, plan: whole, createdBy: owner.caller.userId };
        await addGate(transaction, owner.project.id, record);
        await enqueue(transaction);
      });
      return read(gate.id, owner);
    },

    list: (page, { project }) => listGates(postgres, project.id, page),
    threadCounts: (ids) => countCleanThreads(postgres, ids),
    read,
    threads: (id) => listThreads(postgres, id),

    async progress({ id, plan }, points) {
      const threads = await listThreads(postgres, id);
      const clean = threads.filter(({ isClean }) => isClean).map(({ differences }) => differences.target);
      return {
        look: lookAt(plan, threads),
        estimates: await lastEstimates(postgres, id),
        points: await listPoints(postgres, id, points),
        rows: threads.reduce((sum, { rows }) => sum + rows, 0),
        threads: threads.length,
        meanSquare: clean.length === 0 ? null : clean.reduce((sum, each) => sum + each ** 2, 0) / clean.length,
      };
    },

    async use(suite, latest) {
      const earlier = await earlierGates(postgres, suite.id);
      const history = historyOf(suite, earlier);
      const promoted = history.promoted.filter(Boolean).length;
      return {
        candidates: history.promoted.length,
        promoted,
        nextAlpha: levelOfNext(history),
        candidatesLeft: latest === null ? null : leftOf(history, latest),
      };
    },

    start: (id) => markStarted(postgres, id),
    addThread: (id, thread, fence) => within(fence, (db) => addThread({ db }, id, thread)),
    decide: (id, document, fence) => {
      const envelope = JSON.stringify(signer.sign(document));
      const decided = { state: 'decided' as const, verdict: document.verdict.kind, envelope };
      return end(id, { ...decided, publicKey: signer.publicKey().pem }, fence);
    },
    fail: (id, error, fence) => end(id, { state: 'failed', error }, fence),
    cancel: (id, fence) => end(id, { state: 'canceled' }, fence),

    async envelope(id, owner) {
      await read(id, owner);
      const found = await findEnvelope(postgres, owner.project.id, id);
      if (found === null) throw notFound(`The gate ${id} has no verdict.`);
      return found;
    },
    publicKey: signer.publicKey,
  };
}

/** Without differences, they are taken to be spread evenly over a quarter of their range. */
function leftOf(history: SuiteHistory, { plan, meanSquare }: { plan: StoredPlan; meanSquare: number | null }): number {
  const { low, high } = differenceBounds(plan.target);
  const square = meanSquare || ((high - low) / 4) ** 2;
  const threadsAt = (level: number) =>
    threadsNeeded({ logWealth: 0, level, gap: plan.target.gain, meanSquare: square });
  return candidatesLeft(history, plan.threads, threadsAt);
}

/** Candidates that ended before anything was compared do not count: nothing was learned about the suite's rows. */
function historyOf({ alpha }: Suite, earlier: EarlierGate[]): SuiteHistory {
  const counted = earlier.filter(({ state, hasThreads }) => hasThreads || state === 'waiting' || state === 'running');
  return { alpha, promoted: counted.map(({ verdict }) => verdict === 'promote') };
}
