import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Makes `otlp.generated.ts` and `tinker.generated.ts` from the `.proto` files beside them (npm run generate:proto). `npx` fetches
 * the generators: they take 130 MB and are needed once a year.
 */
const generators = ['@bufbuild/buf@1.75.0', '@bufbuild/protoc-gen-es@2.17.0'];
const template = fileURLToPath(new URL('./buf.gen.yaml', import.meta.url));

for (const [room, name] of [
  ['otel', 'otlp'],
  ['tinker', 'tinker'],
]) {
  const folder = fileURLToPath(new URL(`../src/${room}/proto/`, import.meta.url));
  const buf = ['buf', 'generate', folder, '--template', template, '--output', folder];
  execFileSync('npx', ['--yes', ...generators.map((each) => `--package=${each}`), '--', ...buf], { stdio: 'inherit' });
  renameSync(`${folder}${name}_pb.ts`, `${folder}${name}.generated.ts`);
}
