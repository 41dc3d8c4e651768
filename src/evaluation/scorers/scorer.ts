import type { Owner } from '../../services/owner.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import type { UsageOfModels } from '../models/completion-model.ts';

/** A scorer that the server can apply. */
export type Scorer = {
  /** Its address, with the digest of the version. */
  ref: string;
  /** The name of its object. */
  objectName: string;
  /** The key of its scores in the result of a trial. */
  key: string;
  score(scored: Scored, owner: Owner, signal: AbortSignal): Promise<Scoring>;
};

/**
 * What is scored: the row that a model got, or the inputs of a call, and the output. Both may contain `JsonText`, where
 * JavaScript would change the digits of a number.
 */
export type Scored = {
  row: Record<string, unknown>;
  output: unknown;
  /** The same as it was recorded, digit for digit. */
  texts: { row: JsonText; output: JsonText };
};

/** `usage`: the tokens that scoring took. */
export type Scoring = { score: unknown; usage: UsageOfModels };
