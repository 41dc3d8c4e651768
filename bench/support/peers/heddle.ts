import { heddleCommand } from '../../../testing/heddle-process.ts';
import { benchProject, heddleSettings } from '../heddle.ts';
import type { Client } from './client.ts';
import type { Peer, Question } from './peer.ts';
import { customer, model, nth, rareWord, type SentTrace, scoreAtLeast, slowerThanMs, tokensAtLeast } from './spans.ts';

const authorization = `Bearer ${heddleSettings('', 0).HEDDLE_API_KEY}`;
const project = { project_id: benchProject };
const newestFirst = [{ field: 'started_at', direction: 'desc' }];

/** Asked as the Weave SDK and its web pages ask. */
export const heddle: Peer = {
  name: 'heddle',
  install: () => {},
  program: (data, port) => ({
    command: heddleCommand[0]!,
    args: [...heddleCommand.slice(1), 'serve'],
    env: heddleSettings(data, port),
  }),
  healthPath: '/health/ready',
  otlp: { path: '/v1/traces', headers: { ...project, authorization } },
  headers: { authorization },
  countSpans: (client) => count(client, {}),
  questions: {
    'newest 50 roots': calls(() => ({ filter: { trace_roots_only: true }, sort_by: newestFirst, limit: 50 })),
    'one span by id': async (client, { traces }, i) => {
      const { call } = await client.post<{ call: unknown }>('/call/read', { ...project, id: nth(traces, i).rootId });
      return call === null ? 0 : 1;
    },
    'one trace of 12, whole': async (client, { traces }, i) => readTrace(client, nth(traces, i)),
    'an attribute of 1 span in 100, newest 50': calls((i) => ({
      ...where({ $eq: [field('attributes.metadata.customer'), { $literal: customer(i) }] }),
      sort_by: newestFirst,
      limit: 50,
    })),
    'a word in the inputs of 1 span in 200, newest 50': calls(() => ({
      ...where({ $contains: { input: field('inputs'), substr: { $literal: rareWord } } }),
      sort_by: newestFirst,
      limit: 50,
    })),
    'more tokens than, most first, 50': calls((i) =>
      mostFirst(`summary.usage.${model}.completion_tokens`, tokensAtLeast + (i % 5)),
    ),
    'a number of its own more than, highest first, 50': calls((i) =>
      mostFirst('attributes.metadata.score', scoreAtLeast + i / 1000),
    ),
    'slower than, slowest first, 50': calls((i) => mostFirst('summary.weave.latency_ms', slowerThanMs + i)),
    'count by an attribute of 1 span in 100': (client, _, i) =>
      count(client, where({ $eq: [field('attributes.metadata.customer'), { $literal: customer(i) }] })),
    'tokens, costs and latency for each hour': async (client, { startMs, endMs }) => {
      const { call_buckets } = await client.post<{ call_buckets: { count: number }[] }>('/calls/stats', {
        ...project,
        start: new Date(startMs).toISOString(),
        end: new Date(endMs).toISOString(),
        granularity: 3600,
        usage_metrics: [{ metric: 'total_tokens' }, { metric: 'total_cost' }],
        call_metrics: [
          { metric: 'call_count' },
          { metric: 'latency_ms', aggregations: ['avg'], percentiles: [50, 95] },
        ],
      });
      return call_buckets.filter(({ count }) => count > 0).length;
    },
    'tokens and cost of one trace': async (client, { traces }, i) => {
      const asked = { ...project, filter: { trace_ids: [nth(traces, i).traceId] }, include_costs: true };
      const { call_usage } = await client.post<{ call_usage: object }>('/trace/usage', asked);
      return Object.keys(call_usage).length;
    },
    'a trace of 2,000, whole': (client, { longTrace }) => readTrace(client, longTrace),
  },
};

function calls(ask: (i: number) => object): Question {
  return async (client, _, i) => (await client.postForLines('/calls/stream_query', { ...project, ...ask(i) })).length;
}

async function readTrace(client: Client, { traceId }: SentTrace): Promise<number> {
  const asked = { ...project, filter: { trace_ids: [traceId] } };
  return (await client.postForLines('/calls/stream_query', asked)).length;
}

async function count(client: Client, ask: object): Promise<number> {
  return (await client.post<{ count: number }>('/calls/query_stats', { ...project, ...ask })).count;
}

function mostFirst(name: string, above: number) {
  const sortBy = [{ field: name, direction: 'desc' }];
  return { ...where({ $gt: [field(name), { $literal: above }] }), sort_by: sortBy, limit: 50 };
}

const where = (expr: object) => ({ query: { $expr: expr } });
const field = (name: string) => ({ $getField: name });
