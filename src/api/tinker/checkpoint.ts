import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tinker/checkpoint.ts';
import type { TinkerCheckpointAnswer } from '../../contract/tinker/checkpoint.ts';
import type { Handler } from '../../http/bind.ts';
import type { Caller } from '../../identity/identity.ts';
import { checkpointId, kindOf, writePath } from '../../tinker/paths.ts';
import type { FoundWeights, SavedCheckpoint } from '../../tinker/saved-weights.ts';
import { notFound } from '../../util/failures.ts';
import { pageOf } from './page-of.ts';

type Deps = Pick<Context, 'tinker'>;
type CheckpointParams = { run_id: string; kind: string; name: string };

export function tinkerCheckpointList({ tinker }: Deps): Handler<typeof contract.tinkerCheckpointList> {
  return async ({ query, caller }) => {
    const page = pageOf(query);
    const { checkpoints, total } = await tinker.weights.listCheckpoints(caller, page);
    return { checkpoints: checkpoints.map(checkpointAnswer), cursor: { ...page, total_count: total } };
  };
}

export function tinkerCheckpointDelete({ tinker }: Deps): Handler<typeof contract.tinkerCheckpointDelete> {
  return async ({ params, caller }) => {
    await tinker.weights.delete(await find(tinker, caller, params));
    return {};
  };
}

export function tinkerCheckpointExpiry({ tinker }: Deps): Handler<typeof contract.tinkerCheckpointExpiry> {
  return async ({ params, body, caller }) => {
    await tinker.weights.setExpiry(await find(tinker, caller, params), body.ttl_seconds);
    return {};
  };
}

export function tinkerCheckpointArchive(
  context: Deps & Pick<Context, 'services' | 'config'>,
): Handler<typeof contract.tinkerCheckpointArchive> {
  const { tinker, services, config } = context;
  return async ({ params, caller, raw }) => {
    const key = await tinker.weights.archive(await find(tinker, caller, params));
    return services.signedBlobs.url(addressOf(config, raw), { method: 'GET', key, md5: null });
  };
}

export function tinkerCheckpointUrls(
  context: Deps & Pick<Context, 'services' | 'config'>,
): Handler<typeof contract.tinkerCheckpointUrls> {
  const { tinker, services, config } = context;
  return async ({ params, caller, raw }) => {
    const server = addressOf(config, raw);
    const urls: Record<string, string> = {};
    for (const { name, key } of await tinker.weights.files(await find(tinker, caller, params)))
      urls[name] = await services.signedBlobs.url(server, { method: 'GET', key, md5: null });
    return { urls, expires: new Date(Date.now() + config.signedUrlSeconds * 1000).toISOString() };
  };
}

function find(
  tinker: Context['tinker'],
  caller: Caller,
  { run_id, kind, name }: CheckpointParams,
): Promise<FoundWeights> {
  const found = kindOf(kind);
  if (!found) throw notFound(`${kind} is not a kind of weights: weights, sampler_weights or external_weights.`);
  return tinker.weights.find(caller, { runId: run_id, kind: found, name });
}

function addressOf({ publicUrl }: Context['config'], raw: FastifyRequest): string {
  return publicUrl.replace(/\/+$/, '') || `${raw.protocol}://${raw.host}`;
}

export function checkpointAnswer(checkpoint: SavedCheckpoint): TinkerCheckpointAnswer {
  const { runId, kind, name, sizeBytes, userMetadata, createdAt, expiresAt } = checkpoint;
  return {
    checkpoint_id: checkpointId({ kind, name }),
    checkpoint_type: kind,
    time: createdAt.toISOString(),
    tinker_path: writePath({ runId, kind, name }),
    size_bytes: sizeBytes,
    public: false,
    user_metadata: userMetadata,
    expires_at: expiresAt?.toISOString() ?? null,
  };
}
