import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Runs before the packages below heddle are set up (`preinstall` of the package). On Linux, ONNX Runtime's own setup
 * downloads CUDA libraries of several hundred megabytes, which heddle does not load, and fails where there is no network.
 * It skips files that exist, so empty ones stand in for them. A clone says the same in .npmrc.
 */
const folder = new URL('../node_modules/onnxruntime-node/bin/napi-v6/linux/x64/', import.meta.url);
for (const provider of ['cuda', 'shared', 'tensorrt']) {
  const file = fileURLToPath(new URL(`libonnxruntime_providers_${provider}.so`, folder));
  if (existsSync(fileURLToPath(folder)) && !existsSync(file)) writeFileSync(file, '');
}
