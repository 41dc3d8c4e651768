import { expect, test } from 'vitest';
import type { Context } from '../context.ts';
import { endpoints } from '../contract/endpoints.ts';
import { routes } from './routes.ts';

test('every endpoint of the contract has a route, and no other', () => {
  const served = routes({} as Context).map(({ endpoint }) => endpoint); // handlers look into the context only when called
  expect(new Set(served)).toEqual(new Set(endpoints));
});
