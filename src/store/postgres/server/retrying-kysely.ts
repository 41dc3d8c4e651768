import { setTimeout } from 'node:timers/promises';
import { Kysely, type TransactionBuilder } from 'kysely';
import { explainCollision, isCollision } from './errors.ts';

const attemptsMax = 5;
const firstWaitMs = 10;

/** Runs transactions again that failed because of others, after a wait that lets the other ones end. */
export class RetryingKysely<Database> extends Kysely<Database> {
  override transaction(): TransactionBuilder<Database> {
    const builder = super.transaction();
    const execute = builder.execute.bind(builder);
    builder.execute = async (work) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await execute(work);
        } catch (error) {
          if (!isCollision(error) || attempt === attemptsMax) throw explainCollision(error);
          await setTimeout(firstWaitMs * 2 ** attempt * Math.random());
        }
      }
    };
    return builder;
  }
}
