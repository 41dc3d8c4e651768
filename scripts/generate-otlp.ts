import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Makes `src/otel/proto/otlp.generated.ts` from `otlp.proto` (npm run generate:otlp). `npx` fetches the generators: they take
 * 130 MB and are needed once a year.
 */
const generators = ['@bufbuild/buf@1.75.0', '@bufbuild/protoc-gen-es@2.17.0'];

const folder = fileURLToPath(new URL('../src/otel/proto/', import.meta.url));
const buf = ['buf', 'generate', folder, '--template', `${folder}buf.gen.yaml`, '--output', folder];
execFileSync('npx', ['--yes', ...generators.map((each) => `--package=${each}`), '--', ...buf], { stdio: 'inherit' });
renameSync(`${folder}otlp_pb.ts`, `${folder}otlp.generated.ts`);
