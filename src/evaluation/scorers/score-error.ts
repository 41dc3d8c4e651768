import { Failure } from '../../util/failures.ts';
import type { Usage } from '../models/completion-model.ts';

/** There is no score, though models were asked for it: their tokens count. */
export class ScoreError extends Failure {
  readonly usage: Usage;

  constructor(message: string, usage: Usage) {
    super('invalidInput', message);
    this.usage = usage;
  }
}
