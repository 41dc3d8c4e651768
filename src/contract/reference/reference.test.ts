import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { endpoints } from '../endpoints.ts';
import { openapiDocument } from '../../http/openapi.ts';
import { compareSchemas, type Schema } from './compare.ts';
import { exceptions } from './exceptions.ts';

const reference: Schema = JSON.parse(readFileSync(new URL('./schemas.json', import.meta.url), 'utf8'));
const document: Schema = openapiDocument(endpoints);

const resolve = {
  ours: (ref: string) => document.components.schemas[ref.split('/').at(-1)!],
  reference: (ref: string) => reference.$defs[ref.split('/').at(-1)!],
};

const compared = endpoints
  .map(({ method, path }) => ({ name: nameOf(method, path), method: method.toLowerCase(), path }))
  .filter(({ name }) => name in reference.endpoints);

/** Where the reference knows a path for one provider alone, ours takes any. */
function nameOf(method: string, path: string): string {
  const pattern = new RegExp(`^${method} ${path.replace('{provider}', '[a-z]+')}$`);
  const found = path.includes('{provider}') && Object.keys(reference.endpoints).find((name) => pattern.test(name));
  return found || `${method} ${path}`;
}

test.each(compared)('$name accepts and answers what the reference does', ({ name, method, path }) => {
  const ours = document.paths[path][method];
  const theirs = reference.endpoints[name];
  const found = [
    ...compare('body', contentOf(ours.requestBody), theirs.request),
    ...compare('answer', contentOf(ours.responses['200']), theirs.response),
  ];
  const allowed = exceptions.filter((each) => each.endpoint === name);
  const unexplained = found.filter(({ where }) => !allowed.some((each) => where === each.where || where.startsWith(`${each.where}.`)));
  expect(unexplained, `${name}: mend the schema, or say in exceptions.ts why it must differ`).toEqual([]);
});

test('every exception names an endpoint that is compared', () => {
  const names = compared.map(({ name }) => name);
  expect(exceptions.filter(({ endpoint }) => !names.includes(endpoint))).toEqual([]);
});

function compare(side: 'body' | 'answer', ours: Schema | undefined, theirs: Schema | undefined) {
  if (theirs === undefined || Object.keys(theirs).length === 0) return []; // the reference says nothing about it
  return compareSchemas(ours ?? {}, theirs, resolve, { isAnswer: side === 'answer' }).map(({ path, ...sides }) => ({ where: side + path, ...sides }));
}

function contentOf(part: Schema | undefined): Schema | undefined {
  return part && (Object.values(part.content)[0] as Schema).schema;
}
