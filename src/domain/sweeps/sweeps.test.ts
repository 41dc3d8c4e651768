import { expect, test } from 'vitest';
import { gridPoint, gridSize } from './grid.ts';
import { randomPoint } from './random-point.ts';
import { readSweepConfig } from './read-sweep-config.ts';

const yaml = (parameters: object, more: object = {}) => JSON.stringify({ method: 'random', ...more, parameters });
const plan = (parameters: object, more: object = {}) => readSweepConfig(yaml(parameters, more));

test('a grid has each combination of values once, and the last parameter changes first', () => {
  const { parameters, runsMax } = readSweepConfig(`
method: grid
parameters:
  opt: {values: [adam, sgd]}
  seed: {value: 7}
  model:
    parameters:
      layers: {min: 1, max: 2}
      dropout: {distribution: q_uniform, min: 0.1, max: 0.3, q: 0.1}
`);
  expect(runsMax).toBe(12);
  const points = Array.from({ length: gridSize(parameters) }, (_, index) => gridPoint(parameters, index));
  expect(new Set(points.map((point) => JSON.stringify(point))).size).toBe(12);
  expect(points[0]).toEqual({ opt: 'adam', seed: 7, model: { layers: 1, dropout: 0.1 } });
  expect(points[2]).toEqual({ opt: 'adam', seed: 7, model: { layers: 1, dropout: 0.3 } });
  expect(points[11]).toEqual({ opt: 'sgd', seed: 7, model: { layers: 2, dropout: 0.3 } });
});

test('the YAML of clients is read as they mean it', () => {
  const { parameters } = readSweepConfig(
    "method: grid\nparameters:\n  y:\n    values: [1.0e-05, true, null, '010', 'yes', n]\n  no: {value: 1}\n",
  );
  const values = Array.from({ length: 6 }, (_, index) => gridPoint(parameters, index));
  expect(values.map(({ y }) => y)).toEqual([1e-5, true, null, '010', 'yes', 'n']);
  expect(values[0]).toEqual({ y: 1e-5, no: 1 });
});

test('run_cap limits a grid and a random search', () => {
  expect(plan({ x: { values: [1, 2, 3] } }, { method: 'grid', run_cap: 2 }).runsMax).toBe(2);
  expect(plan({ x: { values: [1, 2, 3] } }, { run_cap: 9 }).runsMax).toBe(9);
  expect(plan({ x: { values: [1, 2, 3] } }).runsMax).toBeNull();
});

function draws(parameter: object, count = 4000): any[] {
  const { parameters } = plan({ x: parameter });
  return Array.from({ length: count }, (_, index) => randomPoint(parameters, 'seed', index).x);
}
const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;

test('random points follow their distributions', () => {
  const ints = draws({ min: 1, max: 3 });
  expect([...new Set(ints)].sort()).toEqual([1, 2, 3]);
  expect(mean(ints)).toBeCloseTo(2, 1);
  const uniform = draws({ min: 0.5, max: 1.5 });
  expect(mean(uniform)).toBeCloseTo(1, 1);
  expect(uniform.every((x) => x >= 0.5 && x < 1.5)).toBe(true);
  expect([...new Set(draws({ distribution: 'q_uniform', min: 0, max: 1, q: 0.5 }))].sort()).toEqual([0, 0.5, 1]);
  const logs = draws({ distribution: 'log_uniform_values', min: 1e-4, max: 1 }).map(Math.log10);
  expect(mean(logs)).toBeCloseTo(-2, 1);
  const normal = draws({ distribution: 'normal', mu: 5, sigma: 2 });
  expect(mean(normal)).toBeCloseTo(5, 0);
  expect(mean(normal.map((x) => (x - 5) ** 2))).toBeCloseTo(4, 0);
  const weighted = draws({ values: ['a', 'b', 'c'], probabilities: [0.75, 0.25, 0] });
  expect(mean(weighted.map((x) => Number(x === 'a')))).toBeCloseTo(0.75, 1);
  expect(weighted).not.toContain('c');
  expect(draws({ value: null }, 1)).toEqual([null]);
});

test('the same seed gives the same points, and parameters are independent of each other', () => {
  const { parameters } = plan({ x: { min: 0.5, max: 1.5 }, y: { min: 0.5, max: 1.5 } });
  const { x, y } = randomPoint(parameters, 'seed', 3);
  expect(randomPoint(parameters, 'seed', 3)).toEqual({ x, y });
  expect(x).not.toBe(y);
  expect(randomPoint(parameters, 'other', 3).x).not.toBe(x);
  expect(randomPoint(parameters, 'seed', 4).x).not.toBe(x);
});

test.each([
  ['method: [', 'is not valid YAML'],
  ['just text', 'config of the sweep is invalid'],
  [yaml({ x: { value: 1 } }, { method: 'bayes' }), 'heddle supports the methods grid and random (found "bayes")'],
  [
    yaml({ x: { value: 1 } }, { early_terminate: { type: 'hyperband' } }),
    'does not support the early termination of runs',
  ],
  [yaml({ x: { value: 1 } }, { controller: { type: 'local' } }), 'does not support local controllers'],
  [yaml({ x: { value: 1 } }, { run_cap: 0 }), 'run_cap'],
  [yaml({ x: { value: 1 } }, { metric: { name: 'loss', goal: 'smallest' } }), 'goal'],
  [yaml({}), 'at least one parameter'],
  [yaml({ x: {} }), 'one of the distributions constant, categorical, int_uniform'],
  [yaml({ x: 3 }), 'The parameter x of the sweep is invalid'],
  [yaml({ x: { distribution: 'beta', a: 1 } }), '(found "beta")'],
  [yaml({ m: { parameters: { x: { values: [] } } } }), 'The parameter m.x of the sweep is invalid'],
  [yaml({ x: { values: [1, 2], probabilities: [0.5] } }), 'a probability for each value'],
  [yaml({ x: { values: [1, 2], probabilities: [0.5, 0.6] } }), 'with the sum 1'],
  [yaml({ x: { min: 2, max: 1 } }), 'min must not exceed max'],
  [yaml({ x: { distribution: 'log_uniform_values', min: 0, max: 1 } }), 'min'],
  [yaml({ x: { min: 0.5, max: 1 } }, { method: 'grid' }), 'whose values can be counted'],
  [yaml({ x: { min: 0, max: 1e6 }, y: { min: 0, max: 1e6 } }, { method: 'grid' }), 'A grid can have 1000000000 points'],
])('rejects the config %j', (text, message) => {
  expect(() => readSweepConfig(text)).toThrow(message);
});
