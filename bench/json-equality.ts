import { countMatches, countRead, test } from './support/ask.ts';
import { askOfStores } from './support/reads.ts';

/** How soon calls are found by a value inside their payloads, be it common or rare. */
await askOfStores(import.meta, [
  {
    name: 'text, 1 call in 100, newest 50',
    aimMs: 250,
    ask: (store, i) => countRead(store, { expr: test('$eq', 'attributes.tag', `t${i}`) }),
  },
  {
    name: 'number, 1 call in 100, newest 50',
    aimMs: 250,
    ask: (store, i) => countRead(store, { expr: test('$eq', 'inputs.temperature', (i + 1) / 100 + 0) }),
  },
  {
    name: 'text, 1 call in 10,000, newest 50',
    aimMs: 250,
    ask: (store, i) => countRead(store, { expr: test('$eq', 'inputs.customer.name', `customer-${i * 13}`) }),
  },
  {
    name: 'text, no call at all',
    aimMs: 250,
    ask: (store, i) => countRead(store, { expr: test('$eq', 'inputs.customer.name', `nobody-${i}`) }),
  },
  {
    name: 'count of 1 in 100',
    aimMs: 400,
    ask: (store, i) => countMatches(store, { expr: test('$eq', 'attributes.tag', `t${i}`) }),
  },
  {
    name: 'count of 1 in 10,000',
    aimMs: 400,
    ask: (store, i) => countMatches(store, { expr: test('$eq', 'inputs.customer.name', `customer-${i * 17}`) }),
  },
]);
