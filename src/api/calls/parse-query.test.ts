import { expect, test } from 'vitest';
import { freshProject } from '../testing/fresh-project.ts';

const project = freshProject();

/** The inputs of the calls that a text finds. */
async function found(text: string): Promise<unknown[]> {
  const { json } = await project.post('/calls/parse_query', { text });
  const { lines } = await project.post('/calls/stream_query', { project_id: project.name, query: json.query });
  return lines.map(({ inputs }) => inputs.n).sort();
}

test('a text finds the calls it describes', async () => {
  await project.log(
    { inputs: { n: 1, text: 'Please refund ORDER-7' }, output: 'Done' },
    { inputs: { n: 2, text: 'Hello' }, output: { answer: 'we refund nothing' } },
    { inputs: { n: 3, text: 'Hello' }, exception: 'RefundError: too late' },
  );
  expect(await found('refund')).toEqual([1, 2, 3]);
  expect(await found('refund order-7')).toEqual([1]);
  expect(await found('hello status:error')).toEqual([3]);
  expect(await found('inputs.n>1 not inputs.n:3')).toEqual([2]);
});

test('a text that cannot be read is answered with what is wrong', async () => {
  const answer = await project.post('/calls/parse_query', { text: 'inputs.n>1 and (status' });
  expect(answer).toMatchObject({ status: 400 });
  expect(answer.json.reason).toMatch(/^The filter cannot be read: found the end, expected a closing bracket/);
});
