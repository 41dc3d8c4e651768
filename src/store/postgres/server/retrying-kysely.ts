import { setTimeout } from 'node:timers/promises';
import { Kysely, type Transaction, type TransactionBuilder } from 'kysely';
import { explainCollision, isCollision } from './errors.ts';

const attemptsMax = 5;
const firstWaitMs = 10;

/**
 * Runs transactions again that failed because of others, after a wait that lets the other ones end. After a commit, it does
 * what was asked for in the attempt that succeeded.
 */
export class RetryingKysely<Database> extends Kysely<Database> {
  readonly #afterCommit = new WeakMap<Transaction<Database>, (() => void)[]>();

  afterCommit(transaction: Transaction<Database>, work: () => void): void {
    this.#afterCommit.get(transaction)!.push(work);
  }

  override transaction(): TransactionBuilder<Database> {
    const builder = super.transaction();
    const execute = builder.execute.bind(builder);
    builder.execute = async (work) => {
      for (let attempt = 1; ; attempt++) {
        const later: (() => void)[] = [];
        try {
          const result = await execute((transaction) => {
            this.#afterCommit.set(transaction, later);
            return work(transaction);
          });
          for (const each of later) each();
          return result;
        } catch (error) {
          if (!isCollision(error) || attempt === attemptsMax) throw explainCollision(error);
          await setTimeout(firstWaitMs * 2 ** attempt * Math.random());
        }
      }
    };
    return builder;
  }
}
