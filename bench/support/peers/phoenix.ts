import type { Client } from './client.ts';
import type { Peer, Question } from './peer.ts';
import { installPackage, packageProgram } from './python.ts';
import { freePort } from './server.ts';
import { customer, nth, rareWord, type SentTrace, slowerThanMs, tokensAtLeast } from './spans.ts';

const newestFirst = '{col: startTime, dir: desc}';

/** Asked through GraphQL as its web pages ask, and for whole traces through REST as its Python client does. */
export const phoenix: Peer = {
  name: 'Phoenix',
  install: () => installPackage('arize-phoenix', '20.26.1'),
  program: async (data, port) => ({
    command: packageProgram('arize-phoenix', 'phoenix'),
    args: ['serve'],
    env: {
      PHOENIX_WORKING_DIR: data,
      PHOENIX_HOST: '127.0.0.1',
      PHOENIX_PORT: String(port),
      PHOENIX_GRPC_PORT: String(await freePort()),
      PHOENIX_TELEMETRY_ENABLED: 'false',
      PHOENIX_ALLOW_EXTERNAL_RESOURCES: 'false',
    },
  }),
  healthPath: '/healthz',
  otlp: { path: '/v1/traces', headers: {} },
  headers: {},
  countSpans: async (client) => (await project<{ recordCount: number }>(client, 'recordCount'))?.recordCount ?? 0,
  questions: {
    'newest 50 roots': spans(() => `sort: ${newestFirst}, filterCondition: "parent_span is None"`),
    'one span by id': async (client, { traces }, i) => {
      const field = `getSpanByOtelId(spanId: "${nth(traces, i).rootId}") { ${listed} attributes }`;
      return (await ask<{ getSpanByOtelId: object | null }>(client, field)).getSpanByOtelId === null ? 0 : 1;
    },
    'one trace of 12, whole': (client, { traces }, i) => readTrace(client, nth(traces, i)),
    'an attribute of 1 span in 100, newest 50': spans(
      (i) => `sort: ${newestFirst}, filterCondition: "metadata['customer'] == '${customer(i)}'"`,
    ),
    'a word in the inputs of 1 span in 200, newest 50': spans(
      () => `sort: ${newestFirst}, filterCondition: "'${rareWord}' in input.value"`,
    ),
    'more tokens than, most first, 50': spans(
      (i) =>
        `sort: {col: tokenCountCompletion, dir: desc}, filterCondition: "llm.token_count.completion > ${tokensAtLeast + (i % 5)}"`,
    ),
    'a number of its own more than, highest first, 50': { cannot: 'it compares, but sorts by its own columns only' },
    'slower than, slowest first, 50': spans(
      (i) => `sort: {col: latencyMs, dir: desc}, filterCondition: "latency_ms > ${slowerThanMs + i}"`,
    ),
    'count by an attribute of 1 span in 100': async (client, _, i) => {
      const field = `recordCount(filterCondition: "metadata['customer'] == '${customer(i)}'")`;
      return (await project<{ recordCount: number }>(client, field))?.recordCount ?? 0;
    },
    'tokens, costs and latency for each hour': async (client, { startMs, endMs }) => {
      const [start, end] = [startMs, endMs].map((ms) => new Date(ms).toISOString());
      const hours = `(timeRange: {start: "${start}", end: "${end}"}, timeBinConfig: {scale: HOUR, utcOffsetMinutes: 0})`;
      const found = await project<{ counts: { data: { totalCount: number }[] } }>(
        client,
        `counts: traceCountByStatusTimeSeries${hours} { data { timestamp okCount errorCount totalCount } }
         latency: traceLatencyMsPercentileTimeSeries${hours} { data { timestamp p50 p75 p90 p95 p99 p999 max } }
         tokens: traceTokenCountTimeSeries${hours} { data { timestamp promptTokenCount completionTokenCount totalTokenCount } }
         costs: traceTokenCostTimeSeries${hours} { data { timestamp promptCost completionCost totalCost } }`,
      );
      return found?.counts.data.filter(({ totalCount }) => totalCount > 0).length ?? 0;
    },
    'tokens and cost of one trace': async (client, { traces }, i) => {
      const costs = 'costSummary { prompt { cost tokens } completion { cost tokens } total { cost tokens } }';
      const tokens = 'rootSpan { cumulativeTokenCountPrompt cumulativeTokenCountCompletion cumulativeTokenCountTotal }';
      const field = `getTraceByOtelId(traceId: "${nth(traces, i).traceId}") { ${costs} ${tokens} }`;
      return (await ask<{ getTraceByOtelId: object | null }>(client, field)).getTraceByOtelId === null ? 0 : 1;
    },
    'a trace of 2,000, whole': (client, { longTrace }) => readTrace(client, longTrace),
  },
};

/** What its table of spans shows of each. */
const listed = `id spanId spanKind name metadata statusCode statusMessage startTime endTime latencyMs parentId
  tokenCountTotal cumulativeTokenCountTotal input { value: truncatedValue } output { value: truncatedValue }
  trace { id traceId userId numSpans costSummary { total { cost } } }`;

function spans(condition: (i: number) => string): Question {
  return async (client, _, i) => {
    const field = `spans(first: 50, ${condition(i)}) { edges { node { ${listed} } } pageInfo { endCursor hasNextPage } }`;
    return (await project<{ spans: { edges: unknown[] } }>(client, field))?.spans.edges.length ?? 0;
  };
}

async function readTrace(client: Client, { traceId }: SentTrace): Promise<number> {
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: unknown[]; next_cursor: string | null } = await client.get(
      `/v1/projects/default/spans?trace_id=${traceId}&limit=1000${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    count += page.data.length;
    cursor = page.next_cursor;
  }
  return count;
}

/** Null until the first span has made the project. */
async function project<Fields>(client: Client, fields: string): Promise<Fields | null> {
  return (await ask<{ project: Fields | null }>(client, `project: getProjectByName(name: "default") { ${fields} }`))
    .project;
}

async function ask<Data>(client: Client, fields: string): Promise<Data> {
  const { data, errors } = await client.post<{ data: Data; errors?: unknown }>('/graphql', { query: `{ ${fields} }` });
  if (errors !== undefined) throw new Error(`GraphQL: ${JSON.stringify(errors).slice(0, 300)}`);
  return data;
}
