import { expect, test } from 'vitest';
import { transactionsOf } from './find-transactions.ts';

test('finds functions, methods and arrow functions that begin a transaction, and those that call a helper', () => {
  const text = `
    export function one({ db }) { return db.transaction().execute(async () => {}); }
    export function open(postgres) {
      const two = () => inTransaction(postgres, async () => {});
      return { two, async three() { await postgres.db.transaction().execute((db) => db); }, four: () => postgres.db };
    }
    export function inTransaction(postgres, work) { return postgres.db.transaction().execute(work); }`;
  expect(transactionsOf(text)).toEqual(['one', 'two', 'three']);
});
