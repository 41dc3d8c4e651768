import { afterAll, expect, test } from 'vitest';
import { openCallStore, testProject } from '../testing/call-store.ts';

const store = await openCallStore();
afterAll(() => store.close());

/** Values in which kinds, spellings and escapes meet. */
const values = [
  ...[
    '"GET"',
    '"incident"',
    '"an incident"',
    '"\\u0069ncident"',
    '"INCIDENT"',
    '"incident\\nincident"',
    '"4\u212aword"',
  ],
  ...['true', '"true"', 'false', 'null', '""', '123456', '"123456"', '1.23456e5', '"1.23456e5"', '123456.0'],
  ...['{"incident":1}', '["incident",1.5e3]', '{"a":"\\u0069ncident"}', '"caf\\u00e9"', '"café"'],
];
const literals = [
  '"GET"',
  '"incident"',
  '"an incident"',
  '"INCIDENT"',
  '"incident\\nincident"',
  '"4kword"',
  '"true"',
].concat(
  ...[['true', '123456', '"123456"', '"1.23456e5"', '"café"', '""', 'null']],
  ...[['"{\\"incident\\":1}"', '"[\\"incident\\",1500]"', '"{\\"a\\":\\"incident\\"}"']],
);

test('equality with a field of a span finds what parsing every span finds, also where there is no span', async () => {
  const project = testProject(store.clickhouse);
  await project.write(
    ...values.map((value, i) => ({ id: `span${i}`, otelDump: `{"attributes":{"x":${value}}}` })),
    ...values.map((value, i) => ({ id: `attribute${i}`, attributes: `{"otel_span":{"attributes":{"x":${value}}}}` })),
  );
  const field = '{"$getField":"attributes.otel_span.attributes.x"}';
  const all = literals.map((literal) => `{"$literal":${literal}}`);
  const conditions = [
    ...all.map((literal) => `{"$eq":[${field},${literal}]}`),
    ...all.map((literal) => `{"$in":[${field},[${literal},{"$literal":"GET"}]]}`),
    `{"$in":[${field},[${Array.from({ length: 300 }, (_, i) => `{"$literal":"word${i}"}`).join(',')},${all[1]}]]}`,
  ];
  for (const expr of conditions) {
    const found = await project.ids({ expr });
    expect(found, expr).toEqual(await project.ids({ expr: `{"$not":[{"$not":[${expr}]}]}` }));
    expect((await project.count({ expr })).count).toBe(found.length);
  }
  expect(await project.ids({ expr: conditions[1]! })).toEqual(['span1', 'span3', 'attribute1', 'attribute3']);
});
