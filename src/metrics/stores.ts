import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CallWrite } from '../store/clickhouse/calls/write/call-write.ts';
import type { CallWriter } from '../store/clickhouse/calls/write/call-writer.ts';
import type { ClickHouse, QueryParams } from '../store/clickhouse/clickhouse.ts';

/** Stores whose reads and writes are counted. */
export type StoreMetrics = {
  /** `requests` and `internal` reads are counted apart. */
  clickhouse(store: ClickHouse): ClickHouse;
  calls(writer: CallWriter): CallWriter;
};

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function storeMetrics(registry: Registry): StoreMetrics {
  const registers = [registry];
  const queries = new Histogram({
    name: 'heddle_query_duration_seconds',
    help: 'Time of queries in ClickHouse, their waiting included',
    labelNames: ['kind', 'outcome'],
    buckets: seconds,
    registers,
  });
  const running = new Gauge({
    name: 'heddle_queries_running',
    help: 'Queries in ClickHouse that run or wait',
    labelNames: ['kind'],
    registers,
  });
  const parts = new Counter({
    name: 'heddle_call_parts_total',
    help: 'Parts of calls to write: starts, ends, whole calls, renames and deletions',
    labelNames: ['kind'],
    registers,
  });
  const refused = new Counter({
    name: 'heddle_call_parts_refused_total',
    help: 'Parts of calls that could not be stored',
    registers,
  });
  const writes = new Histogram({
    name: 'heddle_call_write_duration_seconds',
    help: 'Time until parts of calls are durable and visible',
    buckets: seconds,
    registers,
  });

  function measured(store: ClickHouse, kind: 'requests' | 'internal'): Pick<ClickHouse, 'query' | 'queryBytes'> {
    async function measure<Answer>(answer: Promise<Answer>): Promise<Answer> {
      const end = queries.startTimer({ kind });
      running.inc({ kind });
      try {
        const answered = await answer;
        end({ outcome: 'answered' });
        return answered;
      } catch (error) {
        end({ outcome: 'failed' });
        throw error;
      } finally {
        running.dec({ kind });
      }
    }
    return {
      query: <Row>(sql: string, params?: QueryParams) => measure(store.query<Row>(sql, params)),
      queryBytes: (sql, format, params) => measure(store.queryBytes(sql, format, params)),
    };
  }

  function count(given: readonly CallWrite[]): () => void {
    for (const { part } of given) parts.inc({ kind: part.kind });
    return writes.startTimer();
  }

  return {
    clickhouse(store) {
      const own = { ...store.internal, ...measured(store.internal, 'internal') };
      const internal: ClickHouse = Object.assign(own, { internal: own as ClickHouse });
      return { ...store, ...measured(store, 'requests'), internal };
    },
    calls: (writer) => ({
      ...writer,
      async write(given) {
        const end = count(given);
        try {
          return await writer.write(given);
        } catch (error) {
          refused.inc(given.length);
          throw error;
        } finally {
          end();
        }
      },
      async writeEach(given) {
        const end = count(given);
        try {
          const outcomes = await writer.writeEach(given);
          refused.inc(outcomes.filter((outcome) => typeof outcome !== 'string').length);
          return outcomes;
        } finally {
          end();
        }
      },
    }),
  };
}
