import { setTimeout as wait } from 'node:timers/promises';
import type { TurnFound, TurnOutcome, TurnPhase } from '../domain/loops/turn.ts';
import type { TurnFence } from '../services/loops/loops.ts';
import type { Owner } from '../services/owner.ts';
import { isRefusal } from '../util/failures.ts';
import { collect } from './collect.ts';
import { returnTraffic, rollOut } from './roll-out.ts';
import { ask, test, train } from './train-and-test.ts';
import { gateIdOf, type Progress, type RunningTurn, type TurnDeps, trainingJobId } from './turn-deps.ts';

type Options = { signal: AbortSignal; fence: TurnFence; report(progress: { done: number; total: number }): void };

const lookEveryMs = 1000;

const phases: Record<
  Exclude<TurnPhase, 'waiting' | 'ended'>,
  (deps: TurnDeps, turn: RunningTurn) => Promise<Progress>
> = {
  collecting: collect,
  training: train,
  testing: test,
  asking: ask,
  'rolling-out': rollOut,
};
const order: TurnPhase[] = ['waiting', ...(Object.keys(phases) as TurnPhase[]), 'ended'];

/** Runs a turn to its end. If it was interrupted, it goes on with its phase: what phases start has ids that follow from the turn's. */
export async function runTurn(deps: TurnDeps, id: string, owner: Owner, options: Options): Promise<void> {
  const { loops } = deps.services;
  for (;;) {
    options.signal.throwIfAborted();
    const found = await loops.findTurn(id);
    if (found === null) return;
    const { loop, turn } = found;
    const { phase } = turn;
    if (phase === 'ended') return;
    options.report({ done: order.indexOf(phase), total: order.length - 1 });
    const running = { loop, turn, plan: turn.plan ?? loop.plan, owner, signal: options.signal, fence: options.fence };
    if (phase === 'waiting') {
      if (turn.startsAt > new Date() || loop.pausedAt !== null) await look();
      else await begin(running);
      continue;
    }
    const isHeldUp = loop.pausedAt !== null && startsSomething(phase);
    const progress = isHeldUp ? paused : await phases[phase](deps, running);
    if (progress.kind === 'goes-on') {
      const { waitsFor: _, ...rest } = progress.found;
      await loops.saveTurn(id, { phase: progress.phase, found: rest }, options.fence);
    } else if (progress.kind === 'ends') {
      if (progress.found) await loops.saveTurn(id, { found: progress.found }, options.fence);
      await loops.endTurn({ loop, turn, project: owner.project.name }, progress, options.fence);
    } else {
      await noteWait(running, progress);
      await look();
    }
  }

  async function begin({ loop, turn }: RunningTurn): Promise<void> {
    const plan = JSON.stringify(loop.plan);
    await loops.saveTurn(
      turn.id,
      { plan, phase: 'collecting', startedAt: turn.startedAt ?? new Date() },
      options.fence,
    );
  }

  async function noteWait({ turn }: RunningTurn, progress: Extract<Progress, { kind: 'waits' }>): Promise<void> {
    const { waitsFor: _, ...rest } = progress.found ?? turn.found;
    const found: TurnFound = progress.for === null ? rest : { ...rest, waitsFor: progress.for };
    if (JSON.stringify(found) !== JSON.stringify(turn.found)) await loops.saveTurn(id, { found }, options.fence);
  }

  async function look(): Promise<void> {
    await wait(lookEveryMs, undefined, { signal: options.signal }).catch(() => options.signal.throwIfAborted());
  }
}

const paused: Progress = { kind: 'waits', for: 'The loop is paused.' };

/** Phases that a paused loop does not begin; what runs already ends. Rollouts look before each stage. */
function startsSomething(phase: TurnPhase): boolean {
  return phase === 'collecting' || phase === 'testing' || phase === 'asking';
}

/**
 * Ends a turn that is canceled or has failed: stops what it has started, and returns the traffic of its candidate, unless its user or its
 * policy is gone.
 * @param owner null if the user is deleted, or may no longer use the project
 */
export async function giveUpTurn(
  deps: TurnDeps,
  id: string,
  { owner, project }: { owner: Owner | null; project: string },
  end: { outcome: Extract<TurnOutcome, 'canceled' | 'failed'>; reason: string },
  fence: TurnFence,
): Promise<void> {
  const found = await deps.services.loops.findTurn(id);
  if (found === null || found.turn.phase === 'ended') return;
  const { loop, turn } = found;
  const plan = turn.plan ?? loop.plan;
  await deps.services.training.jobs.cancel(trainingJobId(turn));
  await deps.cancelGate(gateIdOf(turn));
  if (owner !== null) await returnTraffic(deps, { loop, turn, plan, owner }, end.reason).catch(ignoreRefusal);
  await deps.services.loops.endTurn({ loop, turn, project }, end, fence);
}

function ignoreRefusal(error: unknown): void {
  if (!isRefusal(error)) throw error;
}
