import type { LoopPlan } from '../contract/loops/loop.ts';
import type { TurnFound } from '../domain/loops/turn.ts';
import { Failure } from '../util/failures.ts';
import { gateIdOf, type Progress, type RunningTurn, type TurnDeps, trainingJobId } from './turn-deps.ts';

/** Waits for the training job, whose checkpoint is the candidate. */
export async function train(
  { services: { training } }: TurnDeps,
  { turn, plan, owner }: RunningTurn,
): Promise<Progress> {
  const [job] = await training.jobs.recent({ ending: trainingJobId(turn), limit: 1 });
  if (!job) return failed('The training job was deleted.');
  if (job.status === 'failed') return failed(job.error ?? 'The training job failed.');
  if (job.status !== 'ended')
    return { kind: 'waits', for: job.reason ?? (job.pausedAt ? 'The training job is paused.' : null) };
  if (job.checkpoint === null) return failed('The checkpoint of the training job was deleted.');
  const candidate = `wandb-artifact:///${owner.project.name}/${plan.model}:step${job.checkpoint}`;
  return { kind: 'goes-on', phase: 'testing', found: { ...turn.found, candidate } };
}

/** Runs a gate between the candidate and the model in use. */
export async function test(deps: TurnDeps, running: RunningTurn): Promise<Progress> {
  const { turn, plan, owner } = running;
  const { gates } = deps.services;
  const { incumbent, candidate } = turn.found as Required<Pick<TurnFound, 'incumbent' | 'candidate'>>;
  const id = gateIdOf(turn);
  const gate = await gates.read(id, owner).catch(nullIfMissing);
  if (gate === null) {
    const models = { candidate, incumbent: incumbent.model, candidate_params: null, incumbent_params: null };
    const request = { ...plan.gate, ...models, suite: plan.suite, model_params: paramsOf(plan, incumbent.prompt) };
    try {
      await deps.startGate(request, owner, id);
    } catch (error) {
      if (error instanceof Failure && error.kind === 'conflict') return { kind: 'waits', for: error.message };
      throw error;
    }
    return { kind: 'waits', for: null, found: { ...turn.found, gateId: id } };
  }
  if (gate.state === 'failed') return failed(gate.error ?? 'The gate failed.');
  if (gate.state === 'canceled') return failed('The gate was canceled.');
  if (gate.verdict === null) return { kind: 'waits', for: null };
  const found = { ...turn.found, gateId: id, verdict: gate.verdict };
  if (gate.verdict === 'reject')
    return { kind: 'ends', outcome: 'rejected', reason: `The gate rejected ${candidate}.`, found };
  if (gate.verdict === 'not-enough-evidence') {
    const reason = `The gate has not enough evidence that ${candidate} is better.`;
    return { kind: 'ends', outcome: 'not-enough-evidence', reason, found };
  }
  if (plan.approver === null) return { kind: 'goes-on', phase: 'rolling-out', found };
  const { stages, policy } = plan.rollout;
  const share = stages.length === 0 ? 'all' : `${Number((100 * stages[0]!).toFixed(2))} %`;
  const text = `The gate promotes ${candidate} over ${incumbent.model}. Give it ${share} of the traffic of ${policy}?`;
  const question = { text, askedAt: new Date().toISOString() };
  return { kind: 'goes-on', phase: 'asking', found: { ...found, question } };
}

/** Waits for what the approver answers. */
export async function ask(_: TurnDeps, { turn, plan }: RunningTurn): Promise<Progress> {
  const { answer } = turn;
  if (answer === null)
    return { kind: 'waits', for: plan.approver === 'anyone' ? 'An answer.' : `An answer of ${plan.approver}.` };
  if (answer.answer === 'yes') return { kind: 'goes-on', phase: 'rolling-out', found: turn.found };
  const why = answer.reason === '' ? '' : `: ${answer.reason}`;
  return { kind: 'ends', outcome: 'declined', reason: `The candidate was declined${why}.` };
}

function failed(reason: string): Progress {
  return { kind: 'ends', outcome: 'failed', reason };
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Failure && error.kind === 'notFound') return null;
  throw error;
}

/** Both models get the prompt of the variant in use, unless the plan has messages of its own. */
function paramsOf({ gate }: LoopPlan, prompt: string | null): LoopPlan['gate']['model_params'] {
  const given = gate.model_params ?? {};
  const hasMessages = given.prompt != null || given.messages_template != null;
  return prompt === null || hasMessages ? gate.model_params : { ...given, prompt };
}
