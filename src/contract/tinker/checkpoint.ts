import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional, text } from '../wire.ts';
import { emptyAnswer, id, pageQuery, tinker } from './shared.ts';

export const checkpoint = z
  .object({
    /** Within its run, such as `weights/NAME`. */
    checkpoint_id: z.string(),
    checkpoint_type: z.enum(['training', 'sampler', 'external']),
    time: z.string(),
    tinker_path: z.string(),
    size_bytes: int(),
    public: z.boolean(),
    user_metadata: z.record(z.string(), z.string()).nullable(),
    expires_at: z.string().nullable(),
  })
  .meta({ id: 'TinkerCheckpoint' });

export type TinkerCheckpointAnswer = z.output<typeof checkpoint>;

export const cursor = z.object({ offset: int(), limit: int(), total_count: int() });
export const checkpoints = z
  .object({ checkpoints: z.array(checkpoint), cursor: cursor.nullable() })
  .meta({ id: 'TinkerCheckpoints' });

const checkpointParams = z.object({ run_id: id, kind: text(), name: text() });
const path = '/api/v1/training_runs/{run_id}/checkpoints/{kind}/{name}';

export const tinkerCheckpointList = defineEndpoint({
  ...tinker,
  method: 'GET',
  path: '/api/v1/checkpoints',
  name: 'List Tinker Checkpoints',
  description: "What the caller's Tinker clients saved, the newest first.",
  query: pageQuery,
  answer: { kind: 'json', schema: checkpoints },
});

export const tinkerCheckpointDelete = defineEndpoint({
  ...tinker,
  method: 'DELETE',
  path,
  name: 'Delete Tinker Checkpoint',
  description: 'Deletes saved weights with their files.',
  params: checkpointParams,
  answer: { kind: 'json', schema: emptyAnswer },
});

export const tinkerCheckpointExpiry = defineEndpoint({
  ...tinker,
  method: 'PUT',
  path: `${path}/ttl`,
  name: 'Set Expiry of Tinker Checkpoint',
  description: 'Sets when saved weights expire; null: never.',
  params: checkpointParams,
  body: z.object({ ttl_seconds: optional(int()) }),
  answer: { kind: 'json', schema: emptyAnswer },
});

export const tinkerCheckpointArchive = defineEndpoint({
  ...tinker,
  method: 'GET',
  path: `${path}/archive`,
  name: 'Download Tinker Checkpoint',
  description: 'Redirects to the adapter as a `.tar.gz`, at an address that needs no key until it expires.',
  params: checkpointParams,
  answer: { kind: 'redirect' },
});

export const tinkerCheckpointUrls = defineEndpoint({
  ...tinker,
  method: 'GET',
  path: `${path}/external_weights_urls`,
  name: 'Get Addresses of Tinker Weights',
  description: 'The address of each file of saved weights, which needs no key until it expires.',
  params: checkpointParams,
  answer: {
    kind: 'json',
    schema: z.object({ urls: z.record(z.string(), z.string()), expires: z.string() }).meta({ id: 'TinkerWeightsUrls' }),
  },
});
