import { z } from 'zod';
import type { RemoteState } from '../engine/training/types.ts';
import { parsePlain } from '../util/json/parse.ts';

/** The name of the file, in the folder of a checkpoint beside the files of the adapter. */
export const remoteStateFile = 'remote-state.json';

const schema = z.object({ server: z.string(), path: z.string(), continues_optimizer: z.boolean() });

export function encodeRemoteState({ server, path, continuesOptimizer }: RemoteState): Buffer {
  const written: z.infer<typeof schema> = { server, path, continues_optimizer: continuesOptimizer };
  return Buffer.from(`${JSON.stringify(written)}\n`);
}

export function decodeRemoteState(bytes: Buffer): RemoteState {
  const { server, path, continues_optimizer: continuesOptimizer } = schema.parse(parsePlain(bytes.toString()));
  return { server, path, continuesOptimizer };
}
