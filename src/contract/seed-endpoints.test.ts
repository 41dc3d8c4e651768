import { expect, test } from 'vitest';
import { endpoints } from './endpoints.ts';
import { laterParts, seedEndpoints } from './seed-endpoints.ts';

const served = new Set(
  endpoints.flatMap(({ method, path, aliases = [] }) => [path, ...aliases].map((each) => `${method} ${each}`)),
);

test('the list holds all 114 endpoints that were asked for, each once', () => {
  expect(new Set(seedEndpoints.map(([method, path]) => `${method} ${path}`)).size).toBe(114);
});

test.each(seedEndpoints)('%s %s is served, or the list says what will serve it', (method, path, later) => {
  if (later === undefined)
    expect(served, `${method} ${path} is not served; serve it or name what will`).toContain(`${method} ${path}`);
  else {
    expect(laterParts[later]).toBeTruthy();
    expect(served, `${method} ${path} is served now: take "${later}" out of the list`).not.toContain(
      `${method} ${path}`,
    );
  }
});
