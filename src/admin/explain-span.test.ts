import { expect, it } from 'vitest';
import { contextForFile, partsOf } from '../api/testing/context.ts';
import { adminContext } from '../main.ts';
import { perform } from './operations.ts';

const context = contextForFile();
const watch = { report: () => {}, signal: new AbortController().signal };
const explain = (callId: string) => perform(adminContext(context.current, null), 'spans.explain', { callId }, watch);

it('spans.explain finds the span by the id of its call alone, in every project that has it', async () => {
  const id = '00000000000000a1';
  const [part] = partsOf([{ spanId: id, attributes: { 'input.value': 'hi', 'vendor.key': 1 } }]);
  const write = (projectId: string) => ({ projectId, id, part: part! });
  await context.current.calls.write([write('one'), write('two')]);
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
