import type { EngineVersion } from '../../chat/types.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ModelLoad } from '../observer.ts';
import type { ServerText } from './server-text.ts';

/** An engine that has loaded a model. */
export type OpenedEngine = {
  engine: HostEngine;
  version(): EngineVersion;
  /** The SHA-256 of the files with the weights, in hexadecimal; null if they are not here. */
  weightsDigest: string | null;
};

/** What a host needs of the engine behind it: token ids in, token ids out. */
export type HostEngine = Pick<
  Engine,
  | 'contextMax'
  | 'vocabSize'
  | 'fingerprint'
  | 'drawsOwnSeeds'
  | 'checkRoom'
  | 'drawKind'
  | 'prepare'
  | 'embed'
  | 'loadAdapter'
  | 'unloadAdapter'
  | 'limitMemory'
  | 'forgetPrompts'
  | 'close'
> & {
  load(): Promise<Omit<ModelLoad, 'residentBytes'>>;
  /** For an engine that also takes messages. */
  readonly serverText?: ServerText;
};
