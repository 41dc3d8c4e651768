import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tinker/run.ts';
import type { TinkerRunAnswer } from '../../contract/tinker/run.ts';
import type { Handler } from '../../http/bind.ts';
import type { Caller } from '../../identity/identity.ts';
import type { SavedCheckpoint, SavedRun } from '../../tinker/saved-weights.ts';
import { checkpointAnswer } from './checkpoint.ts';
import { pageOf } from './page-of.ts';

type Deps = Pick<Context, 'tinker' | 'identity'>;

export function tinkerRunList({ tinker, identity }: Deps): Handler<typeof contract.tinkerRunList> {
  return async ({ query, caller }) => {
    const projectId = query.project_id === null ? null : await identity.projectForRead(caller, query.project_id);
    const page = pageOf(query);
    const { runs, total } = await tinker.weights.listRuns(caller, { projectId, ...page });
    return { training_runs: runs.map((run) => runAnswer(run, caller)), cursor: { ...page, total_count: total } };
  };
}

export function tinkerRunRead({ tinker }: Deps): Handler<typeof contract.tinkerRunRead> {
  return async ({ params, caller }) => runAnswer(await tinker.weights.readRun(caller, params.run_id), caller);
}

export function tinkerRunCheckpoints({ tinker }: Deps): Handler<typeof contract.tinkerRunCheckpoints> {
  return async ({ params, caller }) => {
    const { checkpoints } = await tinker.weights.readRun(caller, params.run_id);
    return { checkpoints: checkpoints.map(checkpointAnswer), cursor: null };
  };
}

function runAnswer({ run, checkpoints }: SavedRun, caller: Caller): TinkerRunAnswer {
  const newest = (kind: SavedCheckpoint['kind']) => {
    const found = checkpoints.find((each) => each.kind === kind);
    return found ? checkpointAnswer(found) : null;
  };
  return {
    training_run_id: run.id,
    base_model: run.baseModel,
    model_owner: caller.username,
    is_lora: true,
    corrupted: false,
    lora_rank: run.loraRank,
    last_request_time: run.lastRequestAt.toISOString(),
    last_checkpoint: newest('training'),
    last_sampler_checkpoint: newest('sampler'),
    user_metadata: run.userMetadata && asTexts(run.userMetadata),
    model_id: run.modelId,
  };
}

function asTexts(metadata: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
