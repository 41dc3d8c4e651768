import { contains, countRead } from './support/ask.ts';
import { askOfStores, type BenchStore } from './support/reads.ts';
import { incidents, incidentWord } from './support/realistic-calls.ts';

/** How soon calls are found by a part of a text in their inputs or output. */
await askOfStores(import.meta, [
  {
    name: 'a word of one call',
    aimMs: 100,
    ask: (store, i) => countRead(store, { expr: contains('inputs', incidentWord(nthIncident(store, i))) }),
  },
  {
    name: 'a word of 1 call in 10,000, newest 50',
    aimMs: 100,
    ask: (store) => countRead(store, { expr: contains('inputs.messages', 'incident') }),
  },
  {
    name: 'a word of no call',
    aimMs: 100,
    ask: (store, i) => countRead(store, { expr: contains('inputs', `zyxzyx${i}`) }),
  },
  {
    name: 'a common word, newest 50',
    aimMs: 150,
    ask: (store) => countRead(store, { expr: contains('output', 'café') }),
  },
  {
    name: 'a part of an id in the output',
    aimMs: 150,
    ask: (store, i) => countRead(store, { expr: contains('output', `ab${i + 100000}cd`) }),
  },
]);

function nthIncident({ calls }: BenchStore, i: number): number {
  return (i * incidents + 5) % calls;
}
