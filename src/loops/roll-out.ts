import type { LoopPlan } from '../contract/loops/loop.ts';
import { countedUnits, isStageOver, type TurnFound, type TurnRollout } from '../domain/loops/turn.ts';
import type { PolicyPlan } from '../domain/policies/plan.ts';
import type { PolicyWithVersions } from '../services/policies/policies.ts';
import { planOf } from '../services/policies/wire-plan.ts';
import { modelInUse } from './collect.ts';
import type { Progress, RunningTurn, TurnDeps } from './turn-deps.ts';

type NamedTurn = Pick<RunningTurn, 'loop' | 'turn' | 'plan'>;
type StoredVersion = PolicyWithVersions['versions'][number];
type Candidate = Required<Pick<TurnFound, 'incumbent' | 'candidate'>>;

/**
 * Gives the candidate its share of a stage, waits until the stage is over, and goes on to the next one; past the last one it has all
 * traffic. Each stage is a version of the policy. The turn ends if the policy returns the traffic, or somebody else changes it.
 */
export async function rollOut(deps: TurnDeps, running: RunningTurn): Promise<Progress> {
  const { turn, plan, owner } = running;
  const { policy } = plan.rollout;
  const { versions } = await deps.services.policies.read(owner, policy);
  const latest = versions[0]!;
  const { rollout } = turn.found;
  if (!rollout) {
    const inUse = await modelInUse(deps, policy, owner);
    if (inUse?.model !== turn.found.incumbent!.model)
      return changed(
        `The policy ${policy} has changed since the turn began: the gate compared with ${turn.found.incumbent!.model}.`,
      );
    const begun = { versionBefore: latest.number, version: latest.number, stage: 0, counted: null };
    return goesOn(turn.found, { ...begun, stageBeganAt: new Date().toISOString() });
  }
  const stage = stageOf(latest, running, rollout);
  if (stage === rollout.stage + 1) return goesOn(turn.found, began(rollout, latest));
  if (stage === null) {
    if (latest.createdBy === null && latest.verdict !== null)
      return { kind: 'ends', outcome: 'returned', reason: latest.reason };
    return changed(
      `Version ${latest.number} of the policy ${policy} was made during the rollout: ${latest.reason || 'no reason given'}.`,
    );
  }
  if (rollout.stage > plan.rollout.stages.length)
    return { kind: 'ends', outcome: 'promoted', reason: `${turn.found.candidate} has all traffic of ${policy}.` };
  if (rollout.stage > 0) {
    const counted = countedUnits(latest.found?.look ?? null, plan.rollout, nameOf(running));
    const now = { ...rollout, counted };
    if (!isStageOver(plan.rollout, now, new Date()))
      return { kind: 'waits', for: whatIsMissing(plan.rollout, now), found: { ...turn.found, rollout: now } };
  }
  if (running.loop.pausedAt !== null) return { kind: 'waits', for: 'The loop is paused.' };
  const change = {
    plan: planOfStage(running, rollout.stage + 1),
    reason: reasonOf(running, rollout.stage + 1),
    expected: latest.number,
  };
  const { version } = await deps.services.policies.addVersion(owner, policy, change);
  return goesOn(turn.found, began(rollout, version));
}

/** Returns the traffic of a candidate whose turn is given up. */
export async function returnTraffic(
  deps: TurnDeps,
  of: NamedTurn & Pick<RunningTurn, 'owner'>,
  why: string,
): Promise<void> {
  const { turn, plan, owner, loop } = of;
  const { rollout } = turn.found;
  if (!rollout) return;
  const { versions } = await deps.services.policies.read(owner, plan.rollout.policy);
  if (!stageOf(versions[0]!, of, rollout)) return; // before the first stage, or after a change by somebody else
  const reason = `turn ${turn.number} of the loop ${loop.name} has ended: ${why}`.slice(0, 2000);
  await deps.services.policies.undo(owner, plan.rollout.policy, { number: rollout.versionBefore, reason });
}

function goesOn(found: TurnFound, rollout: TurnRollout): Progress {
  return { kind: 'goes-on', phase: 'rolling-out', found: { ...found, rollout } };
}

function changed(reason: string): Progress {
  return { kind: 'ends', outcome: 'changed', reason };
}

function began(before: TurnRollout, { number, createdAt }: Pick<StoredVersion, 'number' | 'createdAt'>): TurnRollout {
  return { ...before, version: number, stage: before.stage + 1, stageBeganAt: createdAt.toISOString(), counted: null };
}

/**
 * The stage that a version of the policy is of; null if somebody else made the version. The next stage may have begun without being noted,
 * because the process was killed in between.
 */
function stageOf({ number, reason }: StoredVersion, of: NamedTurn, { version, stage }: TurnRollout): number | null {
  if (number === version) return stage;
  return number === version + 1 && reason === reasonOf(of, stage + 1) ? stage + 1 : null;
}

/** The name of the candidate among the variants. */
function nameOf({ loop, turn }: NamedTurn): string {
  return `${loop.name}-${turn.number}`;
}

function reasonOf({ loop, turn, plan }: NamedTurn, stage: number): string {
  const { stages } = plan.rollout;
  const what = stage > stages.length ? 'all traffic' : `stage ${stage} of ${stages.length}`;
  return `turn ${turn.number} of the loop ${loop.name}: ${what}`;
}

function planOfStage(running: RunningTurn, stage: number): PolicyPlan {
  const { incumbent, candidate } = running.turn.found as Candidate;
  const { stages, scorers, alpha } = running.plan.rollout;
  const name = nameOf(running);
  const better = { name, model: candidate, prompt: incumbent.prompt };
  if (stage > stages.length) {
    const traffic = { kind: 'split' as const, shares: { [name]: 1 } };
    return planOf({ variants: [better], incumbent: name, traffic, scorers, alpha });
  }
  const traffic = { kind: 'stages' as const, candidate: name, stages, stage };
  return planOf({ variants: [incumbent, better], incumbent: incumbent.name, traffic, scorers, alpha });
}

function whatIsMissing({ units, hours }: LoopPlan['rollout'], { counted, stageBeganAt }: TurnRollout): string {
  const until = new Date(Date.parse(stageBeganAt) + hours * 3_600_000);
  if (until > new Date())
    return `The stage lasts until ${until.toISOString().slice(0, 16).replace('T', ' ')} UTC at least.`;
  return `${counted} of ${units} units of the candidate count.`;
}
