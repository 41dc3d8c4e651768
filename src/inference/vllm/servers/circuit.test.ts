import { expect, test } from 'vitest';
import { Circuit } from './circuit.ts';

let now = 0;

function makeCircuit() {
  const circuit = new Circuit(
    { failuresMax: 3, firstMs: 100, waitMsMax: 350 },
    () => now,
    () => 1,
  );
  circuit.checkPassed();
  return circuit;
}

test('opens after failures in a row', () => {
  const circuit = makeCircuit();
  expect(circuit).toMatchObject({ state: 'closed', reason: null });
  circuit.failed('answered 503', false);
  circuit.failed('answered 503', false);
  circuit.succeeded();
  circuit.failed('answered 503', false);
  circuit.failed('answered 503', false);
  expect(circuit.state).toBe('closed');
  circuit.failed('answered 503', false);
  expect(circuit).toMatchObject({ state: 'open', reason: 'answered 503', waitMs: 100 });
});

test('opens at once when nobody listens', () => {
  const circuit = makeCircuit();
  circuit.failed('cannot be reached', true);
  expect(circuit.state).toBe('open');
});

test('waits longer each time, up to a limit, until a request succeeds', () => {
  const circuit = makeCircuit();
  const waits: number[] = [];
  for (let i = 0; i < 4; i++) {
    circuit.checkFailed('cannot be reached', true);
    waits.push(circuit.waitMs);
  }
  expect(waits).toEqual([100, 200, 350, 350]);
  now += 349;
  circuit.checkPassed();
  expect(circuit).toMatchObject({ state: 'open', waitMs: 1 });
  now += 1;
  circuit.checkPassed();
  expect(circuit).toMatchObject({ state: 'halfOpen', reason: 'cannot be reached' });
  circuit.succeeded();
  expect(circuit).toMatchObject({ state: 'closed', reason: null });
  circuit.failed('cannot be reached', true);
  expect(circuit.waitMs).toBe(100);
});

test('a failure opens a half-open circuit, and a second passed check closes it', () => {
  const circuit = makeCircuit();
  circuit.failed('x', true);
  now += 100;
  circuit.checkPassed();
  circuit.failed('answered 500', false);
  expect(circuit).toMatchObject({ state: 'open', reason: 'answered 500', waitMs: 200 });
  now += 200;
  circuit.checkPassed();
  circuit.checkPassed();
  expect(circuit.state).toBe('closed');
});

test('a healthy server may be late now and then', () => {
  const circuit = makeCircuit();
  circuit.checkFailed('did not answer', false);
  expect(circuit.state).toBe('closed');
});
