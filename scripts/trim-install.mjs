import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs after `npm ci` and `npm install` (`postinstall`) and removes what dependencies bring for other machines and other
 * uses: ONNX Runtime for other platforms (245 MB), the headers of Node (67 MB), which only compilers read, source maps
 * (33 MB), documentation (11 MB) and, if the development tools are left out, declarations of types (44 MB).
 * Plain JavaScript, because it runs on the Node that npm has, and only in heddle's own `node_modules`.
 */
const packages = fileURLToPath(new URL('../node_modules/', import.meta.url));

const onnxRuntime = join(packages, 'onnxruntime-node/bin/napi-v6');
for (const platform of foldersOf(onnxRuntime)) {
  for (const processor of foldersOf(join(onnxRuntime, platform))) {
    const isThisMachine = platform === process.platform && processor === process.arch;
    if (!isThisMachine) remove(join(onnxRuntime, platform, processor));
  }
}

const nodes = join(packages, 'node/node_modules');
for (const platform of foldersOf(nodes)) remove(join(nodes, platform, 'include'));

const readsTypes = existsSync(join(packages, 'typescript'));
const unread = readsTypes ? /\.(map|md)$/ : /\.(map|md|d\.[cm]?ts)$/;
removeUnread(packages);

/**
 * It does not follow links: one leads to `web/`, which is not a dependency.
 * @param {string} folder
 */
function removeUnread(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeUnread(path);
    else if (entry.isFile() && unread.test(entry.name)) remove(path);
  }
}

/** @param {string} path @returns {string[]} */
function foldersOf(path) {
  try {
    return readdirSync(path);
  } catch {
    return []; // not installed, or installed elsewhere
  }
}

/** @param {string} path */
function remove(path) {
  rmSync(path, { recursive: true, force: true });
}
