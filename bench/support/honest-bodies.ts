import { repeated } from '../../src/http/testing/hostile-bodies.ts';

type Measure = (path: string, kind: string, body: string) => Promise<string>;
/** A body that is taken; one made by a function needs something stored before. */
export type HonestBody = {
  path: string;
  kind: string;
  body: string | ((measure: Measure) => Promise<string>);
  contentType?: string;
};

const digest = 'd'.repeat(43);

/** Bodies of the largest sizes that do what endpoints are there for. */
export function honestBodies(project: string, dataSize: number, querySize: number): HonestBody[] {
  const name = `"project_id":"${project}"`;
  const ids = (i: number) =>
    `"id":"${i.toString(16).padStart(16, '0')}","trace_id":"${i.toString(16).padStart(32, '0')}"`;
  const times = '"started_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:01Z"';
  const call = (i: number, inputs: string) =>
    `{${name},${ids(i)},"op_name":"o",${times},"attributes":{},"summary":{},"inputs":${inputs},"output":null}`;
  const many = (make: (i: number) => string, size: number) => {
    const pieces: string[] = [];
    for (let length = 0, i = 0; length < size; i++) {
      const piece = make(i);
      pieces.push(piece);
      length += piece.length + 1;
    }
    return `[${pieces.join(',')}]`;
  };
  const complete = `/v2/${project}/calls/complete`;
  const payloads: [string, string][] = [
    ['one string', `{"a":"${'x'.repeat(dataSize)}"}`],
    ['small members', `{${repeated('"a":1', dataSize)}}`],
    ['credentials', `{${repeated('"api_key":"x"', dataSize)}}`],
    ['refs', `{"a":${repeated(`"weave:///${project}/object/n:${digest}"`, dataSize, '[', ']')}}`],
    ['refs to many projects', `{"a":${many((i) => `"weave:///e${i}/p/object/n:d"`, dataSize)}}`],
    ['small objects', `{"a":${repeated('{}', dataSize, '[', ']')}}`],
    ['digits', `{"a":${'9'.repeat(dataSize)}}`],
    ['escapes', `{"a":"${'\\u00e9\\n'.repeat(dataSize / 8)}"}`],
  ];
  const expr = (query: string) => `{${name},"query":{"$expr":${query}}}`;
  const field = '{"$getField":"inputs.a"}';
  return [
    { path: complete, kind: 'many small calls', body: `{"batch":${many((i) => call(i, '{}'), dataSize)}}` },
    ...payloads.map(([kind, value]) => ({
      path: complete,
      kind: `a call: ${kind}`,
      body: `{"batch":[${call(1, value)}]}`,
    })),
    {
      path: '/call/upsert_batch',
      kind: 'many starts',
      body: `{"batch":${many((i) => `{"mode":"start","req":{"start":{${name},${ids(i)},"op_name":"o","started_at":"2026-01-01T00:00:00Z","attributes":{},"inputs":{}}}}`, dataSize)}}`,
    },
    ...payloads.map(([kind, value]) => ({
      path: '/obj/create',
      kind: `an object: ${kind}`,
      body: `{"obj":{${name},"object_id":"o${kind.replaceAll(' ', '_')}","val":${value}}}`,
    })),
    ...payloads.map(([kind]) => ({
      path: '/obj/read',
      kind: `an object: ${kind}`,
      body: `{${name},"object_id":"o${kind.replaceAll(' ', '_')}","digest":"latest"}`,
    })),
    ...payloads.map(([kind, value]) => ({
      path: '/table/create',
      kind: `a row: ${kind}`,
      body: `{"table":{${name},"rows":[${value}]}}`,
    })),
    {
      path: '/table/create',
      kind: 'many rows',
      body: `{"table":{${name},"rows":${many((i) => `{"a":${i}}`, dataSize)}}}`,
    },
    {
      path: '/table/create_from_digests',
      kind: 'many digests',
      body: `{${name},"row_digests":${many((i) => `"${String(i).padStart(43, 'x')}"`, dataSize)}}`,
    },
    {
      path: '/table/update',
      kind: 'many inserts at 0',
      body: async (measure) => {
        const rows = many((i) => `"${String(i).padStart(43, 'x')}"`, dataSize);
        const answer = await measure(
          '/table/create_from_digests',
          'the table to update',
          `{${name},"row_digests":${rows}}`,
        );
        const inserts = repeated('{"insert":{"index":0,"row":{"a":1}}}', Math.min(dataSize, 3_800_000), '[', ']');
        return `{${name},"base_digest":"${JSON.parse(answer).digest}","updates":${inserts}}`;
      },
    },
    {
      path: '/table/query',
      kind: 'a large table',
      body: async (measure) => {
        const rows = many((i) => `{"a":${i}}`, Math.min(dataSize, 4_000_000));
        const body = `{"table":{${name},"rows":${rows}}}`;
        await measure('/table/create', 'the table to query', body);
        const tiny = await measure('/table/create', 'the table to query again', body);
        return `{${name},"digest":"${/"digest":"(\w+)"/.exec(tiny)![1]}"}`;
      },
    },
    {
      path: '/calls/stream_query',
      kind: 'a condition of many',
      body: expr(`{"$or":${repeated(`{"$eq":[${field},{"$literal":1}]}`, querySize, '[', ']')}}`),
    },
    {
      path: '/calls/stream_query',
      kind: 'many values',
      body: expr(`{"$in":[${field},${repeated('{"$literal":1}', querySize, '[', ']')}]}`),
    },
    {
      path: '/calls/stream_query',
      kind: 'many ids',
      body: `{${name},"filter":{"call_ids":${many((i) => `"${i}"`, querySize)}}}`,
    },
    {
      path: '/calls/stream_query',
      kind: 'many columns',
      body: `{${name},"columns":${many((i) => `"inputs.a${i}"`, querySize)}}`,
    },
    {
      path: '/calls/stream_query',
      kind: 'many sorts',
      body: `{${name},"sort_by":${repeated('{"field":"inputs.a","direction":"asc"}', querySize, '[', ']')}}`,
    },
    { path: '/calls/stream_query', kind: 'a large answer', body: `{${name},"limit":100000}` },
    {
      path: '/calls/query_stats',
      kind: 'a condition of many',
      body: expr(`{"$or":${repeated(`{"$eq":[${field},{"$literal":1}]}`, querySize, '[', ']')}}`),
    },
    {
      path: '/refs/read_batch',
      kind: 'many refs',
      body: `{"refs":${many((i) => `"weave:///${project}/object/n${i}:${digest}"`, querySize)}}`,
    },
    {
      path: '/feedback/batch/create',
      kind: 'many',
      body: `{"batch":${repeated(`{${name},"weave_ref":"weave:///${project}/call/c","feedback_type":"custom","payload":{}}`, dataSize, '[', ']')}}`,
    },
    {
      path: '/graphql',
      kind: 'aliases',
      body: JSON.stringify({ query: `{ viewer { ${'username '.repeat(6000)} } }` }),
    },
    {
      path: '/v1/chat/completions',
      kind: 'many messages',
      body: `{"model":"heddle/tiny","max_tokens":1,"messages":${repeated('{"role":"user","content":"a"}', querySize, '[', ']')}}`,
    },
    {
      path: '/v1/chat/completions',
      kind: 'a long message',
      body: `{"model":"heddle/tiny","max_tokens":1,"messages":[{"role":"user","content":"${'a '.repeat(querySize / 2 - 100)}"}]}`,
    },
  ];
}
