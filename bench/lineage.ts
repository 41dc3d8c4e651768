import { parseArgs } from 'node:util';
import { measureLatency } from './support/lineage/latency.ts';
import { prove } from './support/lineage/proofs.ts';

/**
 * Whether recorded answers can be computed again, and how soon their lineage is there:
 * `npm run bench -- lineage [--answers 1000] [--calls 20000] [--requests 1000] [--parts proofs,latency]`. The store of the second part is kept below
 * `HEDDLE_BENCH_DIR` or the system's temporary directory: remove it after a change to the schema. It ends with 1 if an answer that the
 * record promises is not identical, if fewer than 99 of 100 answers differ from those of the step before, if a flipped bit is not found,
 * or if the lineage of an answer takes more than a second at p99.
 */
const { values } = parseArgs({
  options: {
    answers: { type: 'string', default: '1000' },
    calls: { type: 'string', default: '20000' },
    requests: { type: 'string', default: '1000' },
    parts: { type: 'string', default: 'proofs,latency' },
  },
});
const parts = values.parts.split(',');
if (parts.includes('proofs')) await prove(Number(values.answers));
if (parts.includes('latency')) await measureLatency(Number(values.calls), Number(values.requests));
process.exit(); // connections that are kept open would hold it
