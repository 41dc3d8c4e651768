import type { RlConfig } from '../contract/training-jobs/rl-config.ts';
import type { TurnFound } from '../domain/loops/turn.ts';
import { sharesOf, type Variant } from '../domain/policies/plan.ts';
import { parseTextQuery } from '../domain/query/text-query.ts';
import { bothOf } from '../services/loops/loop-chats.ts';
import { parseArtifactName } from '../services/models/artifact-model.ts';
import type { Owner } from '../services/owner.ts';
import { type Progress, type RunningTurn, type TurnDeps, trainingJobId } from './turn-deps.ts';

type Collected = NonNullable<TurnFound['collected']>;

/**
 * Chooses the chats whose windows have closed, leaves out those that match rows of suites, and starts a training job on the others. The
 * job continues from the model that is in use.
 */
export async function collect(deps: TurnDeps, running: RunningTurn): Promise<Progress> {
  const { turn, plan, owner, signal } = running;
  const { training } = deps.services;
  const id = trainingJobId(turn);
  if (turn.found.collected && (await training.jobs.find(id))) return trained(turn.found, id);

  const incumbent = await modelInUse(deps, plan.rollout.policy, owner);
  if (incumbent === null)
    return {
      kind: 'waits',
      for: `The policy ${plan.rollout.policy} divides its traffic. The turn waits until one model has all of it.`,
    };
  const sought = await deps.services.loopChats.sought(plan.chats, owner);
  const query = bothOf(sought.query, olderThan(plan.scorer.window_seconds));
  const chats = { filter: sought.filter, query, limit: plan.budget.rows_most };
  const wanted = { ...owner, model: plan.model, base: plan.base_model };
  const start = {
    ...wanted,
    id,
    startsFrom: await startingPoint(deps, plan.model, incumbent, owner),
    allowsSuiteRows: false,
  };

  const { collected, run } = await choose();
  const found = { ...turn.found, collected, incumbent };
  const end = tooLittle(collected);
  if (end) return { ...end, found };
  await deps.services.loops.saveTurn(turn.id, { found }, running.fence);
  if ((await training.jobs.find(id)) === null) await run();
  return trained(found, id);

  async function choose(): Promise<{ collected: Collected; run(): Promise<unknown> }> {
    const { method, scorer } = plan;
    if (method.kind === 'sft') {
      const { config, experimental_config, least } = method;
      const settings = { config, experimental_config };
      const source = {
        kind: 'calls' as const,
        ...chats,
        score: { reward: scorer.reward, least },
        leavesOutSuiteRows: true,
      };
      const seen = await deps.trainingFromCalls.sft.preview({ ...wanted, ...settings }, source, 0, signal);
      const { matched, read, skipped } = seen.calls!;
      const tokens = seen.tokens.trained * seen.epochs;
      const job = { ...start, ...settings };
      return {
        collected: { matched, read, kept: seen.conversations, tokens, skipped },
        run: () => deps.trainingFromCalls.sft.start(job, { kind: 'chosen', callIds: seen.chosen }),
      };
    }
    const config: RlConfig | Record<string, never> = method.experimental_config ?? {};
    const calls = { ...chats, reward: scorer.reward, groupBy: method.group_by, leavesOutSuiteRows: true };
    const seen = await deps.trainingFromCalls.rl.preview({ ...wanted, ...calls, config }, signal);
    const { matched, read, skipped } = seen;
    const kept = seen.steps === 0 ? 0 : seen.trajectories;
    return {
      collected: { matched, read, kept, tokens: seen.tokens.trained, skipped },
      run: () => deps.trainingFromCalls.rl.start({ ...start, config }, seen.chosen),
    };
  }

  function tooLittle({ kept, tokens }: Collected): Extract<Progress, { kind: 'ends' }> | null {
    const { rows_least: least, tokens_most: most } = plan.budget;
    if (kept < least) {
      const what = plan.method.kind === 'sft' ? 'chats' : 'trajectories';
      return {
        kind: 'ends',
        outcome: 'nothing-to-train',
        reason: `${kept} ${what} can be trained on; a turn needs ${least}.`,
      };
    }
    if (most === null || tokens <= most) return null;
    return {
      kind: 'ends',
      outcome: 'over-budget',
      reason: `The job would train ${tokens} tokens; a turn may train ${most}.`,
    };
  }
}

function trained(found: TurnFound, jobId: string): Progress {
  return { kind: 'goes-on', phase: 'training', found: { ...found, jobId } };
}

/** The variant that has all traffic of a policy; null if several share it. */
export async function modelInUse(
  { services: { policies } }: Pick<TurnDeps, 'services'>,
  policy: string,
  owner: Owner,
): Promise<Variant | null> {
  const { plan } = (await policies.read(owner, policy)).versions[0]!;
  const shares = sharesOf(plan);
  const serving = plan.variants.filter((_, i) => shares[i]! > 0);
  return serving.length === 1 ? serving[0]! : null;
}

/** What a job continues from: the model in use, if it is a checkpoint of the trained model, else the base model. */
async function startingPoint(
  { services: { training } }: TurnDeps,
  name: string,
  { model }: Variant,
  { project }: Owner,
): Promise<string> {
  const artifact = parseArtifactName(model);
  if (artifact === null || artifact.project !== project.name || artifact.name !== name) return 'base';
  const [, step] = /^step(\d+)$/.exec(artifact.version ?? '') ?? [];
  const trained = await training.models.findByName(project.id, name);
  const checkpoint = trained && step !== undefined && (await training.checkpoints.find(trained, Number(step)));
  return checkpoint ? checkpoint.id : 'base';
}

function olderThan(seconds: number) {
  if (seconds === 0) return null;
  return parseTextQuery(`started_at<="${new Date(Date.now() - seconds * 1000).toISOString()}"`);
}
