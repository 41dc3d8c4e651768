import { SchemaViolated } from '../../chat/structured/schema-violated.ts';
import type {
  Accepted,
  Embeddings,
  EmbeddingsRequest,
  GenerationEvent,
  ModelReference,
  TextGenerationRequest,
  TextHalfAnswer,
  TextHalfRequest,
} from '../../chat/types.ts';
import type { BaseModel } from '../../domain/model.ts';
import { Canceled, Failure, ValidationError } from '../../util/failures.ts';
import type { ListedFile } from '../../util/files-digest.ts';
import type { WireError } from '../../util/workers/messages.ts';
import type { FileDigests, ModelSizes } from '../model-reader.ts';

/** What one process asks another. A request that was forwarded is served where it arrives, or refused. */
export type PeerRequest =
  | {
      kind: 'generate';
      model: ModelReference;
      request: TextGenerationRequest;
      /** Whether the request may wait for its turn. Otherwise it is refused as `busy` unless it can run now. */
      mayWait: boolean;
      /** The beginning of the conversation, if it belongs to another process that was full. */
      overflow: string | null;
    }
  | { kind: 'embed'; model: ModelReference; request: EmbeddingsRequest; mayWait: boolean }
  | { kind: 'textHalf'; model: ModelReference; request: TextHalfRequest }
  | { kind: 'loadAdapter'; model: ModelReference }
  | { kind: 'unloadAdapter'; model: ModelReference }
  | { kind: 'sizes'; model: BaseModel }
  | { kind: 'chatTemplates'; model: BaseModel }
  | { kind: 'fileDigests'; model: ModelReference }
  /** `known`: the digest of the files that the asking process has. */
  | { kind: 'textFiles'; model: BaseModel; known: string | null };

export type PeerResult =
  | Embeddings
  | TextHalfAnswer
  | ModelSizes
  | FileDigests
  | ReadonlyMap<string, string>
  /** Of requests without a result. */
  | null;

/** What the other one answers, in frames (`frames.ts`). */
export type PeerFrame =
  | { kind: 'accepted'; accepted: Accepted }
  | { kind: 'event'; event: GenerationEvent }
  /** Text files of a model; their contents follow, one after another, unless the asking process knows their digest. */
  | { kind: 'textFiles'; digest: string; files: ListedFile[] }
  | { kind: 'bytes'; bytes: Uint8Array }
  /** The last frame. */
  | { kind: 'result'; value: PeerResult }
  | { kind: 'error'; error: WireError };

/** The errors that keep their class. */
export const peerErrors = [Failure, Canceled, ValidationError, SchemaViolated];

/**
 * Processes with different versions do not send each other requests. Raise the first number when a message changes; the
 * second is V8's, because its format of values may change with Node.
 */
export const protocol = `3.${process.versions.v8.split('.')[0]}`;

/** The request names the process that it is for: another one may have got the address in the meantime. */
export const processHeader = 'x-heddle-process';
export const path = '/request';
