import type { TokenPlace } from './compare-answers.ts';

/** What comes out when a recorded answer is computed again. */
export type Verification =
  /** The same tokens were drawn again, with the same logprobs; within the tolerance where more is not promised. */
  | ({ result: 'identical' } & Measured)
  /** The model predicts the recorded tokens as it did, although they were not drawn again. */
  | ({ result: 'consistent'; firstDifference: TokenPlace | null } & Measured)
  | ({ result: 'different'; firstDifference: TokenPlace | null } & Measured)
  | { result: 'cannot'; reason: CannotReason; message: string; digests: DigestFault[] };

type Measured = {
  /** Whether the record promises that the same tokens are drawn again. */
  isPromised: boolean;
  /** How many tokens were compared. */
  tokens: number;
  logprobDifference: number;
  /** What else is to be known, such as that the prompt is another one now. */
  note: string | null;
};

/**
 * Why an answer cannot be verified:
 * - `not_found`: there is no such call.
 * - `no_record`: the call was not answered by a model that heddle serves, or its tokens were not recorded.
 * - `provider`, `vllm`: something else than heddle's own engine has computed it.
 * - `beams`: a search found it; nothing was drawn.
 * - `files_missing`: the model or the adapter has been removed.
 * - `digest`: a file is not what it was.
 * - `engine`: another version of the engine, or another arithmetic, predicts otherwise.
 * - `unavailable`: the model does not run now, or does not take the request.
 */
export type CannotReason =
  | 'not_found'
  | 'no_record'
  | 'provider'
  | 'vllm'
  | 'beams'
  | 'files_missing'
  | 'digest'
  | 'engine'
  | 'unavailable';

/** A file whose digest is not the recorded one. */
export type DigestFault = {
  file: 'weights' | 'adapter' | 'tokenizer' | 'template';
  /** The files that the digest is about. */
  names: string[];
  recorded: string;
  found: string | null;
};

export class Unverifiable extends Error {
  readonly reason: CannotReason;
  readonly digests: DigestFault[];

  constructor(reason: CannotReason, message: string, digests: DigestFault[] = []) {
    super(message);
    this.reason = reason;
    this.digests = digests;
  }
}
