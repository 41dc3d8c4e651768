import { join } from 'node:path';
import type { Client } from './client.ts';
import type { Peer, Question } from './peer.ts';
import { installPackage, packageProgram } from './python.ts';
import { customer, nth, rareWord, type SentTrace, slowerThanMs } from './spans.ts';

const experiment = '0'; // the one that is always there
const api = '/api/3.0/mlflow/traces';
const newestFirst = ['timestamp_ms DESC'];

/** Asked as its Python SDK and its web pages ask. It finds traces, never single spans. */
export const mlflow: Peer = {
  name: 'MLflow',
  install: () => installPackage('mlflow', '3.17.2'),
  program: (data, port) => ({
    command: packageProgram('mlflow', 'mlflow'),
    args: [
      ...['server', '--backend-store-uri', `sqlite:///${join(data, 'mlflow.db')}`],
      ...[
        '--artifacts-destination',
        join(data, 'artifacts'),
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
        '--workers',
        '1',
      ],
    ],
    env: { MLFLOW_DISABLE_TELEMETRY: 'true', DO_NOT_TRACK: 'true' },
  }),
  healthPath: '/health',
  otlp: { path: '/v1/traces', headers: { 'x-mlflow-experiment-id': experiment } },
  headers: {},
  countSpans: async (client) => {
    const points = await metric(client, 'SPANS', 'span_count', [{ aggregation_type: 'COUNT' }]);
    return points[0]?.values.COUNT ?? 0;
  },
  questions: {
    'newest 50 roots': search(() => ({ order_by: newestFirst })),
    'one span by id': { cannot: 'it reads traces only' },
    'one trace of 12, whole': (client, { traces }, i) => readTrace(client, nth(traces, i)),
    'an attribute of 1 span in 100, newest 50': search((i) => ({
      filter: ofCustomer(i),
      order_by: newestFirst,
    })),
    'a word in the inputs of 1 span in 200, newest 50': search(() => ({
      filter: `trace.text LIKE '%${rareWord}%'`,
      order_by: newestFirst,
    })),
    'more tokens than, most first, 50': { cannot: 'filters and order_by know no tokens' },
    'a number of its own more than, highest first, 50': {
      cannot: 'attributes are compared as text, and never sorted by',
    },
    'slower than, slowest first, 50': search((i) => ({
      filter: `trace.execution_time_ms > ${slowerThanMs + i}`,
      order_by: ['execution_time_ms DESC'],
    })),
    // No endpoint counts what a filter finds but this one, which its pages ask how two filters go together.
    'count by an attribute of 1 span in 100': async (client, _, i) => {
      const filter = ofCustomer(i);
      const asked = { experiment_ids: [experiment], filter_string1: filter, filter_string2: filter };
      const { filter1_count } = await client.post<{ filter1_count: number }>(
        `${api}/calculate-filter-correlation`,
        asked,
      );
      return filter1_count;
    },
    'tokens, costs and latency for each hour': async (client, { startMs, endMs }) => {
      const hours = { start_time_ms: startMs, end_time_ms: endMs, time_interval_seconds: 3600 };
      const percentile = (value: number) => ({ aggregation_type: 'PERCENTILE', percentile_value: value });
      const [counts] = await Promise.all([
        metric(client, 'TRACES', 'trace_count', [{ aggregation_type: 'COUNT' }], hours),
        metric(client, 'TRACES', 'total_tokens', [{ aggregation_type: 'SUM' }], hours),
        metric(client, 'SPANS', 'total_cost', [{ aggregation_type: 'SUM' }], hours),
        metric(client, 'TRACES', 'latency', [{ aggregation_type: 'AVG' }, percentile(50), percentile(95)], hours),
      ]);
      return counts.length;
    },
    'tokens and cost of one trace': async (client, { traces }, i) => {
      const { trace } = await client.get<TraceInfoAnswer>(`${api}/${idOf(nth(traces, i))}`);
      return 'mlflow.trace.tokenUsage' in trace.trace_info.trace_metadata ? 1 : 0;
    },
    'a trace of 2,000, whole': (client, { longTrace }) => readTrace(client, longTrace),
  },
};

type TraceInfoAnswer = { trace: { trace_info: { trace_metadata: Record<string, string> } } };
type Points = { values: Record<string, number> }[];

function search(ask: (i: number) => object): Question {
  return async (client, _, i) => {
    const locations = [{ type: 'MLFLOW_EXPERIMENT', mlflow_experiment: { experiment_id: experiment } }];
    const asked = { locations, max_results: 50, ...ask(i) };
    return (await client.post<{ traces?: unknown[] }>(`${api}/search`, asked)).traces?.length ?? 0;
  };
}

async function readTrace(client: Client, sent: SentTrace): Promise<number> {
  const { trace } = await client.get<{ trace: { spans: unknown[] } }>(`${api}/get?trace_id=${idOf(sent)}`);
  return trace.spans.length;
}

async function metric(client: Client, view: string, name: string, aggregations: object[], more = {}): Promise<Points> {
  const asked = { experiment_ids: [experiment], view_type: view, metric_name: name, aggregations, ...more };
  return (await client.post<{ data_points?: Points }>(`${api}/metrics`, asked)).data_points ?? [];
}

/** Attributes are looked for in the text of the span: an equality is accepted, but finds nothing. */
const ofCustomer = (i: number) => `span.attributes.customer LIKE '%${customer(i)}%'`;
const idOf = ({ traceId }: SentTrace) => `tr-${traceId}`;
