import { toBinary } from '@bufbuild/protobuf';
import { decodeExport } from '../../src/otel/decode/export.ts';
import { ExportTraceServiceRequestSchema } from '../../src/otel/proto/otlp.generated.ts';
import { benchProject } from './heddle.ts';
import type { Shot } from './load.ts';
import { exportOfChats } from './otlp-export.ts';

/** Exports of one trace each, as protobuf. Each seed makes another trace. */
export function otlpShots(key: string, traces: number, spansPerTrace: number, firstSeed = 0): Shot[] {
  const headers = {
    'content-type': 'application/x-protobuf',
    authorization: `Bearer ${key}`,
    project_id: benchProject,
  };
  return Array.from({ length: traces }, (_, index) => {
    const seed = firstSeed + index;
    const text = exportOfChats(spansPerTrace, seed, newYear2026 + seed * 20_000);
    const body = toBinary(ExportTraceServiceRequestSchema, decodeExport(Buffer.from(text), 'json'));
    return { path: '/otel/v1/traces', headers, body: Buffer.from(body) };
  });
}

const newYear2026 = 1_767_225_600_000_000;
