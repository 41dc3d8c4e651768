import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Makes `src/otel/proto/otlp.generated.ts` from `otlp.proto` (npm run generate:otlp). */
const folder = fileURLToPath(new URL('../src/otel/proto/', import.meta.url));
execFileSync('buf', ['generate', folder, '--template', `${folder}buf.gen.yaml`, '--output', folder], {
  stdio: 'inherit',
});
renameSync(`${folder}otlp_pb.ts`, `${folder}otlp.generated.ts`);
