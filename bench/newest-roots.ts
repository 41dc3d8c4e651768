import { countRead } from './support/ask.ts';
import { askOfStores } from './support/reads.ts';

/** How soon the page that everybody opens first is there: the newest 50 traces of a project. */
await askOfStores(import.meta, [
  {
    name: 'newest 50 roots',
    aimMs: 60,
    ask: (store) => countRead(store, { filter: { trace_roots_only: true } }),
  },
]);
