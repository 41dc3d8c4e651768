import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Runs before the packages below heddle are set up (`preinstall` of the package). On Linux, ONNX Runtime's own setup
 * downloads CUDA libraries of several hundred megabytes, which heddle does not load, and fails where there is no network.
 * It skips files that exist, so empty ones stand in for them. A clone says the same in .npmrc. The packages of a project that
 * depends on heddle are left alone, since others may use them; what npx installs is for heddle only.
 */
const own = new URL('../', import.meta.url);
const isOfNpx = own.pathname.includes('/_npx/');
const packages = new URL(isOfNpx ? '../' : 'node_modules/', own);
const folder = new URL('onnxruntime-node/bin/napi-v6/linux/x64/', packages);
for (const provider of ['cuda', 'shared', 'tensorrt']) {
  const file = fileURLToPath(new URL(`libonnxruntime_providers_${provider}.so`, folder));
  if (existsSync(fileURLToPath(folder)) && !existsSync(file)) writeFileSync(file, '');
}
