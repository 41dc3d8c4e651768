import type { Transaction } from 'kysely';
import { newId } from '../../contract/ids.ts';
import { type LoopPlan, loopPlan } from '../../contract/loops/loop.ts';
import { validate } from '../../contract/validate.ts';
import { checkLoopPlan } from '../../domain/loops/check-plan.ts';
import { failuresMax, nextTurnAt, type TurnOutcome } from '../../domain/loops/turn.ts';
import { nameFault } from '../../identity/names.ts';
import {
  addLoop,
  deleteLoop,
  findLoop,
  findLoopById,
  listLoops,
  type StoredLoop,
  savePause,
  savePlan,
} from '../../store/postgres/loops/loops.ts';
import {
  addTurn,
  endTurn,
  failuresInARow,
  findTurn,
  findTurnByNumber,
  latestTurns,
  listTurns,
  markUndone,
  type StoredTurn,
  saveAnswer,
  saveTurn,
  startEarly,
} from '../../store/postgres/loops/turns.ts';
import type { Database } from '../../store/postgres/schema.ts';
import { conflict, forbidden, invalidInput, notFound } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import type { Policies } from '../policies/policies.ts';
import type { Suites } from '../suites/suites.ts';
import type { LoopChats } from './loop-chats.ts';

export type Loop = Omit<StoredLoop, 'plan'> & { plan: LoopPlan };
export type Turn = Omit<StoredTurn, 'plan'> & { plan: LoopPlan | null };
export type LoopWithTurn = { loop: Loop; latest: Turn | null };

/** Called in each transaction that writes something about a turn. @throws if another process has taken it */
export type TurnFence = (transaction?: Transaction<Database>) => Promise<void>;

/** Runs turns. The id of the job is that of the turn. */
export type TurnRunner = {
  enqueue(
    turn: { id: string; loop: Pick<Loop, 'id' | 'projectId' | 'createdBy'>; project: string },
    transaction: Transaction<Database>,
  ): Promise<void>;
  /** @returns whether it had not ended */
  cancel(id: string): Promise<boolean>;
};

/** Loops of projects, and their turns, which `jobs/tasks/run-turn.ts` runs. Methods with an owner throw a `Failure`. */
export type Loops = {
  create(owner: Owner, name: string, plan: LoopPlan): Promise<LoopWithTurn>;
  change(owner: Owner, name: string, plan: LoopPlan): Promise<LoopWithTurn>;
  /** By name. */
  list(owner: Owner): Promise<LoopWithTurn[]>;
  /** With its turns, the newest first. */
  read(owner: Owner, name: string): Promise<{ loop: Loop; turns: Turn[] }>;
  delete(owner: Owner, name: string): Promise<void>;
  pause(owner: Owner, name: string, reason: string): Promise<LoopWithTurn>;
  resume(owner: Owner, name: string): Promise<LoopWithTurn>;
  startTurn(owner: Owner, name: string): Promise<FoundTurn>;
  /** Whether the candidate gets traffic. */
  answer(owner: Owner, turn: TurnName, answer: { answer: 'yes' | 'no'; reason: string }): Promise<FoundTurn>;
  cancelTurn(owner: Owner, turn: TurnName): Promise<boolean>;
  undoTurn(owner: Owner, turn: TurnName, reason: string): Promise<FoundTurn>;

  /** Null if it is deleted. */
  findTurn(id: string): Promise<FoundTurn | null>;
  saveTurn(id: string, change: Parameters<typeof saveTurn>[2] & { plan?: string }, fence: TurnFence): Promise<void>;
  /** Ends a turn, and queues the next one of a loop that has a time for it. */
  endTurn(
    of: { loop: Loop; turn: Turn; project: string },
    end: { outcome: TurnOutcome; reason: string },
    fence: TurnFence,
  ): Promise<void>;
};

type FoundTurn = { loop: Loop; turn: Turn };
type TurnName = { name: string; number: number };

const turnsShown = 1000;
const reasonMax = 2000;

type LoopDeps = Pick<Deps, 'postgres' | 'identity'> & {
  suites: Pick<Suites, 'read'>;
  policies: Pick<Policies, 'read' | 'undo'>;
  chats: LoopChats;
};

export function openLoops({ postgres, identity, suites, policies, chats }: LoopDeps, runner: TurnRunner): Loops {
  async function mustFind({ project }: Owner, name: string): Promise<Loop> {
    const found = await findLoop(postgres, project.id, name);
    if (found === null) throw notFound(`The project ${project.name} has no loop ${name}.`);
    return loopOf(found);
  }

  async function mustFindTurn(owner: Owner, { name, number }: TurnName): Promise<FoundTurn> {
    const loop = await mustFind(owner, name);
    const turn = await findTurnByNumber(postgres, loop.id, number);
    if (turn === null) throw notFound(`The loop ${name} has no turn ${number}.`);
    return { loop, turn: turnOf(turn) };
  }

  async function withTurn(owner: Owner, name: string): Promise<LoopWithTurn> {
    const loop = await mustFind(owner, name);
    const latest = (await latestTurns(postgres, [loop.id])).get(loop.id);
    return { loop, latest: latest ? turnOf(latest) : null };
  }

  /** @throws Failure for something that the project does not have */
  async function check(owner: Owner, plan: LoopPlan): Promise<void> {
    checkLoopPlan(plan);
    const suite = await suites.read(plan.suite, owner);
    if (suite.purpose !== 'gate')
      throw invalidInput(`suite: ${plan.suite} is held out. Freeze one for gates.`, { param: 'suite' });
    await policies.read(owner, plan.rollout.policy);
    await chats.sought(plan.chats, owner);
    if (plan.approver !== null && plan.approver !== 'anyone' && (await identity.findUser(plan.approver)) === null)
      throw invalidInput(`approver: there is no user ${plan.approver}.`, { param: 'approver' });
  }

  async function queueTurn(loop: Loop, project: string, startsAt: Date): Promise<string> {
    const id = newId();
    await postgres.db.transaction().execute(async (transaction) => {
      await addTurn(transaction, { id, loopId: loop.id, startsAt });
      await runner.enqueue({ id, loop, project }, transaction);
    });
    return id;
  }

  const find = async (id: string) => {
    const turn = await findTurn(postgres, id);
    const loop = turn && (await findLoopById(postgres, turn.loopId));
    return turn && loop ? { loop: loopOf(loop), turn: turnOf(turn) } : null;
  };
  const within = (fence: TurnFence, work: (db: Transaction<Database>) => Promise<void>) =>
    postgres.db.transaction().execute(async (transaction) => {
      await fence(transaction);
      await work(transaction);
    });

  return {
    async create(owner, name, plan) {
      const fault = nameFault('loop', name);
      if (fault) throw invalidInput(fault, { param: 'name' });
      await check(owner, plan);
      const { project, caller } = owner;
      const loop = { id: newId(), projectId: project.id, name, plan: JSON.stringify(plan), createdBy: caller.userId };
      await addLoop(postgres, loop);
      if (plan.every_hours !== null) await queueTurn(await mustFind(owner, name), project.name, new Date());
      return withTurn(owner, name);
    },

    async change(owner, name, plan) {
      const before = await mustFind(owner, name);
      await check(owner, plan);
      await savePlan(postgres, before.id, JSON.stringify(plan));
      const { loop, latest } = await withTurn(owner, name);
      const isIdle = latest === null || latest.endedAt !== null;
      const at = nextTurnAt(plan, latest?.startedAt ?? null, new Date());
      if (isIdle && at !== null && loop.pausedAt === null) await queueTurn(loop, owner.project.name, at);
      return withTurn(owner, name);
    },

    async list({ project }) {
      const loops = await listLoops(postgres, project.id);
      const turns = await latestTurns(
        postgres,
        loops.map(({ id }) => id),
      );
      return loops.map((loop) => {
        const latest = turns.get(loop.id);
        return { loop: loopOf(loop), latest: latest ? turnOf(latest) : null };
      });
    },

    async read(owner, name) {
      const loop = await mustFind(owner, name);
      return { loop, turns: (await listTurns(postgres, loop.id, turnsShown)).map(turnOf) };
    },

    async delete(owner, name) {
      const { loop, latest } = await withTurn(owner, name);
      if (latest?.endedAt === null) await runner.cancel(latest.id);
      await deleteLoop(postgres, loop.id);
    },

    async pause(owner, name, reason) {
      checkReason(reason);
      const { id } = await mustFind(owner, name);
      await savePause(postgres, id, { at: new Date(), reason });
      return withTurn(owner, name);
    },

    async resume(owner, name) {
      const { loop, latest } = await withTurn(owner, name);
      await savePause(postgres, loop.id, null);
      const at = nextTurnAt(loop.plan, latest?.startedAt ?? null, new Date());
      if (latest !== null && latest.endedAt !== null && at !== null) await queueTurn(loop, owner.project.name, at);
      return withTurn(owner, name);
    },

    async startTurn(owner, name) {
      const { loop, latest } = await withTurn(owner, name);
      if (loop.pausedAt !== null) throw conflict(`The loop ${name} is paused. Resume it first.`);
      if (latest?.phase === 'waiting') await startEarly(postgres, latest.id);
      const id = latest?.phase === 'waiting' ? latest.id : await queueTurn(loop, owner.project.name, new Date());
      return (await find(id))!;
    },

    async answer(owner, name, { answer, reason }) {
      checkReason(reason);
      const { loop, turn } = await mustFindTurn(owner, name);
      const plan = turn.plan ?? loop.plan;
      if (turn.phase !== 'asking') throw conflict(`Turn ${turn.number} asks nothing at the moment.`);
      if (plan.approver !== 'anyone' && plan.approver !== owner.caller.username)
        throw forbidden(`Turn ${turn.number} asks ${plan.approver}.`);
      const isFirst = await saveAnswer(postgres, turn.id, { answer, reason, by: owner.caller.userId });
      if (!isFirst) throw conflict(`The question of turn ${turn.number} has been answered.`);
      return (await find(turn.id))!;
    },

    async cancelTurn(owner, name) {
      const { turn } = await mustFindTurn(owner, name);
      return turn.endedAt === null && (await runner.cancel(turn.id));
    },

    async undoTurn(owner, name, reason) {
      checkReason(reason);
      const { loop, turn } = await mustFindTurn(owner, name);
      const { rollout } = turn.found;
      if (turn.outcome !== 'promoted' || !rollout) throw conflict(`Turn ${turn.number} has promoted nothing.`);
      if (turn.undone !== null) throw conflict(`Turn ${turn.number} has been undone.`);
      const policy = (turn.plan ?? loop.plan).rollout.policy;
      const { versions } = await policies.read(owner, policy);
      if (versions[0]!.number !== rollout.version) {
        const message = `The policy ${policy} has changed since turn ${turn.number}: its latest version is ${versions[0]!.number}, not ${rollout.version}.`;
        throw conflict(`${message} Undo what came later, or undo the policy.`);
      }
      const why = reason === '' ? `turn ${turn.number} of the loop ${loop.name} is undone` : reason;
      await policies.undo(owner, policy, { number: rollout.versionBefore, reason: why });
      await markUndone(postgres, turn.id, owner.caller.userId);
      return (await find(turn.id))!;
    },

    findTurn: find,

    saveTurn: (id, change, fence) => within(fence, (db) => saveTurn({ db }, id, change)),

    endTurn: ({ loop, turn, project }, end, fence) =>
      within(fence, async (transaction) => {
        const db = { db: transaction };
        if (!(await endTurn(db, turn.id, end))) return;
        const now = await findLoopById(db, loop.id);
        if (now === null) return; // deleted meanwhile
        if (end.outcome === 'failed' && (await failuresInARow(db, loop.id, failuresMax)) === failuresMax) {
          await savePause(db, loop.id, { at: new Date(), reason: `${failuresMax} turns in a row have failed.` });
          return;
        }
        const at = nextTurnAt(loopOf(now).plan, turn.startedAt, new Date());
        if (at === null || now.pausedAt !== null) return;
        const id = newId();
        await addTurn(transaction, { id, loopId: loop.id, startsAt: at });
        await runner.enqueue({ id, loop: loopOf(now), project }, transaction);
      }),
  };
}

function checkReason(reason: string): void {
  if (reason.length > reasonMax)
    throw invalidInput(`reason has ${reason.length} characters; at most ${reasonMax} are allowed.`, {
      param: 'reason',
    });
}

function loopOf({ plan, ...loop }: StoredLoop): Loop {
  return { ...loop, plan: planOf(plan) };
}

function turnOf({ plan, ...turn }: StoredTurn): Turn {
  return { ...turn, plan: plan === null ? null : planOf(plan) };
}

/** Fields that are newer than the stored plan get their defaults. */
function planOf(text: string): LoopPlan {
  return validate(loopPlan, parsePlain(text), 'plan');
}
