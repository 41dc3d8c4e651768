import { Failure } from '../../util/failures.ts';
import type { UsageOfModels } from '../models/completion-model.ts';

/** There is no score, though models were asked for it: their tokens count. */
export class ScoreError extends Failure {
  readonly usage: UsageOfModels;

  constructor(message: string, usage: UsageOfModels) {
    super('invalidInput', message);
    this.usage = usage;
  }
}
