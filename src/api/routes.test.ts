import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Context } from '../context.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints, keyOf } from '../contract/endpoints.ts';
import { resourceEndpoints } from '../contract/resources/endpoints.ts';
import { routes } from './routes.ts';

const contract = fileURLToPath(new URL('../contract/', import.meta.url));
const files = readdirSync(contract, { recursive: true, encoding: 'utf8' }).filter(
  (file) =>
    /^[\w-]+\/[\w-]+\.ts$/.test(file) && !file.endsWith('.test.ts') && !/(^reference|\/endpoints\.ts$)/.test(file),
);

/** The endpoints that the files of the contract define, by the names of their constants. */
const defined: { file: string; name: string; endpoint: Endpoint }[] = [];
for (const file of files) {
  const exported: Record<string, unknown> = await import(new URL(`../contract/${file}`, import.meta.url).href);
  for (const [name, value] of Object.entries(exported)) {
    if (isEndpoint(value)) defined.push({ file, name, endpoint: value });
  }
}

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'answer' in value && 'path' in value && 'method' in value;
}

test('every endpoint of the contract is in the list of its group, and has a route', () => {
  const served = routes({ services: {} } as Context).map(({ endpoint }) => endpoint); // nothing else is looked into before a call
  expect(new Set(served)).toEqual(new Set(endpoints));
  // The endpoints of resources are made kind by kind, and so are their handlers.
  const made = Object.values(resourceEndpoints);
  expect(new Set([...defined.map(({ endpoint }) => endpoint), ...made])).toEqual(new Set(endpoints));
});

test('no two endpoints have one method and path', () => {
  expect(new Set(endpoints.map(keyOf)).size).toBe(endpoints.length);
});

test.each(defined)('the handler of $name has its name, in a file at the path of $file', async ({ file, name }) => {
  const stem = file.slice(file.indexOf('/') + 1, -'.ts'.length).replaceAll('-', '');
  expect(name.toLowerCase(), `name the constant for its file, ${file}`).toContain(stem.toLowerCase());
  const path = new URL(`./${file}`, import.meta.url);
  expect(existsSync(path), `api/${file} should answer ${name}`).toBe(true);
  expect(await import(path.href)).toHaveProperty(name, expect.any(Function));
});
