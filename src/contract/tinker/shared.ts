import { z } from 'zod';
import { int, optional, text } from '../wire.ts';

/** What all endpoints of the Tinker API share. Its clients read `detail` of an error. */
export const tinker = { group: 'Tinker', errors: 'detail' } as const;

/** `entity/project` in headers, or else the default project of the key. */
const promise = z
  .object({
    request_id: z.string(),
    model_id: z.string().optional(),
    /** Of samples: one for each sequence, in the order of the result. */
    sample_sequence_ids: z.array(z.string()).optional(),
  })
  .meta({ id: 'TinkerPromise' });

/** A request that is under way: `retrieve_future` returns its result. */
export const promised = { kind: 'json', schema: promise } as const;

/** Counts the requests of a model, so that a repeated one has no further effect. */
export const seqId = optional(int());

export const metadata = optional(z.record(z.string(), z.unknown()));
export const textMetadata = optional(z.record(z.string(), z.string()));

/** A heading of names: sessions, runs and samplers have ids that clients do not read. */
export const id = text();

export const emptyAnswer = z.object({}).meta({ id: 'TinkerEmpty' });

export const pageQuery = z.object({
  limit: int().default(20),
  offset: int().default(0),
  project_id: optional(text()),
});
