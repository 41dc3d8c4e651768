import { expect, test } from 'vitest';
import { endpoints } from './endpoints.ts';
import { seedEndpoints } from './seed-endpoints.ts';

const served = new Set(
  endpoints.flatMap(({ method, path, aliases = [] }) => [path, ...aliases].map((each) => `${method} ${each}`)),
);

test('the list holds all 114 endpoints that were asked for, each once', () => {
  expect(new Set(seedEndpoints.map(([method, path]) => `${method} ${path}`)).size).toBe(114);
});

test.each(seedEndpoints)('%s %s is served', (method, path) => {
  expect(served).toContain(`${method} ${path}`);
});
