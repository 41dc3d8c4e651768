import { countMatches, countRead, test } from './support/ask.ts';
import { askOfStores } from './support/reads.ts';

/** How soon calls are found and ordered by a number inside their payloads. */
await askOfStores(import.meta, [
  {
    name: 'more than, 1 call in 3, newest 50',
    aimMs: 400,
    ask: (store, i) => countRead(store, { expr: test('$gt', 'summary.usage.gpt-4o.total_tokens', 100 + i) }),
  },
  {
    name: 'more than, 1 call in 10,000, newest 50',
    aimMs: 400,
    ask: (store, i) => countRead(store, { expr: test('$gt', 'output.score', 0.9999 - i / 1e7) }),
  },
  {
    name: 'count of more than, 1 in 1,000',
    aimMs: 400,
    ask: (store, i) => countMatches(store, { expr: test('$gt', 'output.score', 0.999 - i / 1e7) }),
  },
  {
    name: 'the 50 of the highest score',
    aimMs: 400,
    times: 20,
    ask: (store) => countRead(store, { sortBy: [{ field: 'output.score', direction: 'desc' }] }),
  },
  {
    name: 'the 50 of the lowest score',
    aimMs: 400,
    times: 20,
    ask: (store) => countRead(store, { sortBy: [{ field: 'output.score', direction: 'asc' }] }),
  },
]);
