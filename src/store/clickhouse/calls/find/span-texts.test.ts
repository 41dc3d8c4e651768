import { afterAll, expect, test } from 'vitest';
import { openCallStore, testProject } from '../testing/call-store.ts';

const store = await openCallStore();
afterAll(() => store.close());

/** Letters of two, three and four bytes: the texts are told apart by their length in bytes. */
const texts = {
  inputs: '{"q":"naïve café 🧵 shuttle"}',
  output: '"façade 🧶"',
  otelDump: '{"attributes":{"x":"naïve café 🧵 shuttle"}}',
};
const contains = (field: string, text: string) =>
  `{"$contains":{"input":{"$getField":"${field}"},"substr":{"$literal":"${text}"}}}`;

test('the texts of a span, which share a column, are read, sized and found like those of another call', async () => {
  const project = testProject(store.clickhouse);
  await project.write(
    { id: 'span', mapperVersion: 1, ...texts },
    { id: 'sent', mapperVersion: 0, ...texts },
    { id: 'bare', mapperVersion: 1, ...texts, inputs: '{}', output: 'null' },
  );
  const calls = await project.read({ includeStorageSize: true });
  expect(calls).toMatchObject([texts, texts, { ...texts, inputs: '{}', output: 'null' }]);
  expect(calls[0]!.storageSizeBytes).toBe(calls[1]!.storageSizeBytes);
  expect(await project.ids({ expr: contains('inputs.q', '🧵 shuttle') })).toEqual(['span', 'sent']);
  expect(await project.ids({ expr: contains('output', '🧶') })).toEqual(['span', 'sent']);
  const field = '{"$getField":"attributes.otel_span.attributes.x"}';
  const expr = `{"$eq":[${field},{"$literal":"naïve café 🧵 shuttle"}]}`;
  expect(await project.ids({ expr })).toEqual(['span', 'sent', 'bare']);
});

test('the index over words serves the inputs of spans and of other calls', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'span', mapperVersion: 1, ...texts }, { id: 'sent', ...texts });
  await store.clickhouse.command('OPTIMIZE TABLE calls FINAL');
  const told = async (word: string) => {
    const plan = await store.clickhouse.query<{ explain: string }>(
      `EXPLAIN indexes = 1 SELECT id FROM calls WHERE project_id = '${project.projectId}' AND inputs ILIKE '%${word}%'`,
    );
    const lines = plan.map(({ explain }) => explain.trim());
    return lines.slice(lines.indexOf('Name: calls_by_word_of_inputs')).find((line) => line.startsWith('Parts:'));
  };
  expect([await told('shuttle'), await told('loomless')]).toEqual(['Parts: 1/1', 'Parts: 0/1']);
});
