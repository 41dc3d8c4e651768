import { toBinary } from '@bufbuild/protobuf';
import { decodeExport } from '../src/otel/decode/export.ts';
import { ExportTraceServiceRequestSchema } from '../src/otel/proto/otlp.generated.ts';
import { readExport } from '../src/otel/read-export.ts';
import { exportOfChats } from './support/otlp-export.ts';

/** How many spans of about 5 kB one core decodes and derives calls from: `node bench/otlp-decode.ts`. */
const spansPerExport = 12;
const exports = Array.from({ length: 100 }, (_, seed) => exportOfChats(spansPerExport, seed));
const bodies = {
  protobuf: exports.map((text) => toBinary(ExportTraceServiceRequestSchema, decodeExport(Buffer.from(text), 'json'))),
  json: exports.map((text) => Buffer.from(text)),
};

for (const encoding of ['protobuf', 'json'] as const) {
  const spans = bodies[encoding].length * spansPerExport;
  const bytes = bodies[encoding].reduce((sum, body) => sum + body.length, 0);
  const rates: number[] = [];
  for (let round = 0; round < 20; round++) {
    const { user, system } = measured(() => {
      for (const body of bodies[encoding]) readExport(decodeExport(body, encoding), true);
    });
    rates.push(spans / ((user + system) / 1e6));
  }
  const median = rates.slice(5).sort((a, b) => a - b)[7]!; // the first rounds warm up
  process.stdout.write(
    `${encoding}: ${Math.round(bytes / spans)} bytes a span, ${Math.round(median)} spans per second of processor time\n`,
  );
}

function measured(work: () => void): NodeJS.CpuUsage {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before);
}
