import { invalidInput } from '../util/failures.ts';

export type CheckpointKind = 'training' | 'sampler' | 'external';

/** The parts of `tinker://RUN/weights/NAME`. */
export type CheckpointPath = { runId: string; kind: CheckpointKind; name: string };

const segments = { training: 'weights', sampler: 'sampler_weights', external: 'external_weights' } as const;

/** Parts of names are separated by slashes in addresses. */
const nameRule = /^[\w.-]{1,128}$/;

export function writePath({ runId, kind, name }: CheckpointPath): string {
  return `tinker://${runId}/${checkpointId({ kind, name })}`;
}

/** The id of a checkpoint within its run: `weights/NAME`. */
export function checkpointId({ kind, name }: Pick<CheckpointPath, 'kind' | 'name'>): string {
  return `${segments[kind]}/${name}`;
}

/** @throws Failure */
export function readPath(path: string): CheckpointPath {
  const [, runId, segment, name] = /^tinker:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const kind = segment === undefined ? null : kindOf(segment);
  if (runId && kind && name) return { runId, kind, name };
  throw invalidInput(
    `${path} is not a path of weights. Expected tinker://RUN/weights/NAME, with weights, sampler_weights or external_weights.`,
  );
}

/** The kind of checkpoints below a segment of paths; null if there is none. */
export function kindOf(segment: string): CheckpointKind | null {
  const found = Object.entries(segments).find(([, each]) => each === segment);
  return found ? (found[0] as CheckpointKind) : null;
}

/** @throws Failure for a name that cannot be part of a path */
export function checkName(name: string): void {
  if (nameRule.test(name) && name !== '.' && name !== '..') return;
  throw invalidInput('path must have 1 to 128 letters, digits, dots, dashes and underscores.');
}
