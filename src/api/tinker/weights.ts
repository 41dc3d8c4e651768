import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tinker/weights.ts';
import type { Handler } from '../../http/bind.ts';
import { invalidInput } from '../../util/failures.ts';
import { digestOfJson } from './digest.ts';

type Deps = Pick<Context, 'tinker'>;

export function tinkerWeightsSave({ tinker }: Deps): Handler<typeof contract.tinkerWeightsSave> {
  return async ({ body, caller }) => {
    const save = saveOf(body, { userMetadata: body.user_metadata, overwrites: body.overwrite });
    return answer(body, tinker.saveState(caller, 'training', save, receivedOf(body)));
  };
}

export function tinkerWeightsSaveForSampler({ tinker }: Deps): Handler<typeof contract.tinkerWeightsSaveForSampler> {
  return async ({ body, caller }) => {
    const { path, sampling_session_seq_id: number, kind, user_metadata: userMetadata } = body;
    if (kind === 'inflight') throw invalidInput('kind inflight is not supported. Use snapshot.', { param: 'kind' });
    if (path === null && number !== null)
      return answer(body, tinker.saveForSession(caller, body.model_id, number, receivedOf(body)));
    return answer(body, tinker.saveForSampler(caller, saveOf(body, { userMetadata }), receivedOf(body)));
  };
}

export function tinkerWeightsSaveExternal({ tinker }: Deps): Handler<typeof contract.tinkerWeightsSaveExternal> {
  return async ({ body, caller }) => {
    if (body.age_encryption_recipients?.length)
      throw invalidInput('age_encryption_recipients is not supported.', { param: 'age_encryption_recipients' });
    return answer(body, tinker.saveState(caller, 'external', saveOf(body, {}), receivedOf(body)));
  };
}

export function tinkerWeightsLoad({ tinker }: Deps): Handler<typeof contract.tinkerWeightsLoad> {
  return async ({ body, caller }) => {
    const { model_id: id, session_id: sessionId, model_seq_id: modelSeqId, path, optimizer: withOptimizer } = body;
    if (id !== null)
      return { request_id: await tinker.load(caller, id, path, withOptimizer, receivedOf(body)), model_id: id };
    if (sessionId === null || modelSeqId === null) throw invalidInput('Name model_id, or session_id and model_seq_id.');
    const { base_model: base, user_metadata: userMetadata } = body;
    const asked = { sessionId, modelSeqId, path, withOptimizer, base, userMetadata };
    const { run, requestId } = await tinker.createModelFrom(caller, asked, digestOfJson(body));
    return { request_id: requestId, model_id: run.spec.id };
  };
}

export function tinkerWeightsInfo({ tinker }: Deps): Handler<typeof contract.tinkerWeightsInfo> {
  return async ({ body, caller }) => {
    const { run } = await tinker.weights.find(caller, body.tinker_path);
    const layers = { train_unembed: false, train_mlp: true, train_attn: true };
    return { base_model: run.baseModel, is_lora: true, lora_rank: run.loraRank, ...layers };
  };
}

type Saved = { model_id: string; seq_id: number | null; path: string | null; ttl_seconds: number | null };

function saveOf(
  { model_id: runId, path: name, ttl_seconds: ttlSeconds }: Saved,
  { userMetadata = null, overwrites = false }: { userMetadata?: Record<string, string> | null; overwrites?: boolean },
) {
  if (name === null) throw invalidInput('path, the name to save under, is missing.', { param: 'path' });
  return { runId, name, ttlSeconds, userMetadata, overwrites };
}

function receivedOf(body: { seq_id: number | null }) {
  return { seqId: body.seq_id, digest: digestOfJson(body), bytes: 0 };
}

function answer({ model_id }: { model_id: string }, requestId: string) {
  return { request_id: requestId, model_id };
}
