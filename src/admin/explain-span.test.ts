import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { copyStoreTemplate } from '../api/testing/store-template.ts';
import { readConfig } from '../config.ts';
import { type Context, openContext } from '../context.ts';
import { openLog } from '../log.ts';
import { adminContext } from '../main.ts';
import { otlpJson, readSpans } from '../otel/testing/span.ts';
import { spanToPart } from '../services/spans/to-part.ts';
import { perform } from './operations.ts';

let context: Context;
let data: string;
beforeAll(async () => {
  data = copyStoreTemplate(inject('storeTemplate'));
  const config = readConfig({}, { HEDDLE_DATA: data, HEDDLE_LOG_LEVEL: 'error' });
  context = await openContext(config, openLog(config));
});
afterAll(async () => {
  await context.close();
  rmSync(data, { recursive: true, force: true });
});

const watch = { report: () => {}, signal: new AbortController().signal };
const explain = (callId: string) => perform(adminContext(context, null), 'spans.explain', { callId }, watch);

it('spans.explain finds the span by the id of its call alone, in every project that has it', async () => {
  const id = '00000000000000a1';
  const [span] = readSpans(otlpJson([{ spanId: id, attributes: { 'input.value': 'hi', 'vendor.key': 1 } }])).spans;
  const owner = { project: 'e/p', userId: 'u', opName: 'weave:///e/p/op/span:digest', resourceRun: '' };
  const write = (projectId: string) => ({ projectId, id, part: spanToPart(span!, owner) });
  await context.calls.write([write('one'), write('two')]);
  const explained = (await explain(id)) as { project: string; unread: string[] }[];
  expect(explained.map(({ project }) => project).sort()).toEqual(['one', 'two']);
  expect(explained[0]).toMatchObject({ unread: ['vendor.key'] });
  expect(explained[0]).toMatchObject({
    fields: expect.arrayContaining([expect.objectContaining({ field: 'inputs' })]),
  });
});

it('spans.explain says which id it did not find', async () => {
  await expect(explain('nobody')).rejects.toThrow('nobody');
});
