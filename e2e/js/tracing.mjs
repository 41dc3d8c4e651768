// Ops of every kind: nested, at once, failing, streaming, methods, named by hand, with attributes.
import assert from 'node:assert/strict';
import * as weave from 'weave';

const client = await weave.init(process.argv[2]);

const add = weave.op(function add(a, b) {
  return a + b;
});

const sumOfSquares = weave.op(async function sumOfSquares(numbers) {
  let total = 0;
  for (const number of numbers) total = await add(total, number * number);
  return total;
});

const atOnce = weave.op((n) => Promise.all(Array.from({ length: n }, (_, index) => add(index, 1))), {
  name: 'at-once',
  callDisplayName: (n) => `${n} at once`,
  parameterNames: ['n'],
});

const fail = weave.op(function fail() {
  throw new Error('nothing to say: ü');
});

const stream = weave.op(
  async function* stream(n) {
    for (let index = 0; index < n; index++) yield index;
  },
  { streamReducer: { initialStateFn: () => [], reduceFn: (all, one) => [...all, one], finalizeFn: () => {} } },
);

class Greeter extends weave.WeaveObject {
  constructor(greeting) {
    super({ name: 'greeter' });
    this.greeting = greeting;
    this.greet = weave.op(this, this.greet);
  }

  async greet(name) {
    return `${this.greeting} ${name}`;
  }
}

assert.equal(await sumOfSquares([1, 2, 3]), 14);
assert.deepEqual(await atOnce(5), [1, 2, 3, 4, 5]);
await assert.rejects(() => fail(), /nothing to say/);
const streamed = [];
for await (const value of await stream(3)) streamed.push(value);
assert.deepEqual(streamed, [0, 1, 2]);
assert.equal(await new Greeter('Hello').greet('Ann'), 'Hello Ann');
await weave.withAttributes({ env: 'test', nested: { a: 1 } }, () => add(1, 1));
await client.waitForBatchProcessing();

const calls = await client.getCalls();
assert.equal(calls.length, 14);
const root = calls.find((call) => call.op_name.includes('/op/sumOfSquares:'));
assert.equal(root.output, 14);
assert.deepEqual(root.inputs, { arg0: [1, 2, 3] });
const children = await client.getCalls({ parent_ids: [root.id] });
assert.equal(children.length, 3);
assert.ok(children.every((child) => child.trace_id === root.trace_id));

const read = await client.getCall(root.id);
assert.equal(read.output, 14);
await client.updateCall(root.id, 'squares');
assert.equal((await client.getCall(root.id)).display_name, 'squares');
await assert.rejects(() => client.getCall('00000000-0000-0000-0000-000000000000'), /Call not found/);
assert.equal((await client.getCalls({ trace_roots_only: true })).length, 6);
assert.equal((await client.getCalls({}, false, 2)).length, 2);

process.stdout.write(`${JSON.stringify({ root: root.id })}\n`);
