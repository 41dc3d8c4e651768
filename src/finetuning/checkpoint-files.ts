import { buffer } from 'node:stream/consumers';
import type { Adapter } from '../engine/adapters/adapter.ts';
import { configFile, weightsFile } from '../engine/adapters/peft/names.ts';
import { readPeftFiles } from '../engine/adapters/peft/read.ts';
import { peftFiles } from '../engine/adapters/peft/write.ts';
import { decodeOptimizer, encodeOptimizer, optimizerFile } from '../engine/training/optimizer/state-file.ts';
import type { TrainingState } from '../engine/training/types.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import { decodeRemoteState, encodeRemoteState, remoteStateFile } from './remote-state-file.ts';

/**
 * Stores a checkpoint: a PEFT folder, and beside it the state of the optimizer, or where a server keeps it. List it only after all of it is durable.
 * @returns the bytes of all files
 */
export async function writeCheckpoint(blobs: Blobs, prefix: string, state: TrainingState): Promise<number> {
  let sizeBytes = 0;
  for (const [name, bytes] of checkpointFiles(state)) {
    await blobs.put(`${prefix}/${name}`, bytes);
    sizeBytes += bytes.length;
  }
  return sizeBytes;
}

/** @throws Failure for damaged files */
export async function readCheckpoint(blobs: Blobs, prefix: string): Promise<TrainingState> {
  const adapter = await readAdapter(blobs, prefix);
  const optimizer = await readFile(blobs, `${prefix}/${optimizerFile}`);
  const remote = await readFile(blobs, `${prefix}/${remoteStateFile}`);
  return {
    adapter,
    optimizer: optimizer && decodeOptimizer(optimizer),
    ...(remote && { remote: decodeRemoteState(remote) }),
  };
}

async function readAdapter(blobs: Blobs, prefix: string): Promise<Adapter> {
  const [config, weights] = await Promise.all(
    [configFile, weightsFile].map((name) => readFile(blobs, `${prefix}/${name}`)),
  );
  if (!config || !weights) throw new Error('a file of a checkpoint is missing');
  return readPeftFiles({ config: config.toString(), weights });
}

function* checkpointFiles({ adapter, optimizer, remote }: TrainingState): Generator<[name: string, bytes: Uint8Array]> {
  const { config, weights } = peftFiles(adapter);
  yield [configFile, Buffer.from(config)];
  yield [weightsFile, weights];
  if (optimizer) yield [optimizerFile, encodeOptimizer(optimizer)];
  if (remote) yield [remoteStateFile, encodeRemoteState(remote)];
}

async function readFile(blobs: Blobs, key: string): Promise<Buffer | null> {
  const found = await blobs.get(key);
  return found && buffer(found.stream);
}
