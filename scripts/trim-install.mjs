import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs after `npm ci` and `npm install` (`postinstall`) and removes what dependencies bring for other machines and other
 * uses: ONNX Runtime for other platforms (245 MB), the headers of Node (67 MB), which only compilers read, source maps
 * (33 MB), documentation (11 MB) and, if the development tools are left out, declarations of types (44 MB).
 * Plain JavaScript, because it runs on the Node that npm has. In a project that depends on heddle, and with `npx`, the packages
 * are beside heddle and other packages use them too: what is not in heddle's own folder stays as it is.
 */
const own = fileURLToPath(new URL('../', import.meta.url));
const packages = join(own, 'node_modules');

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
  if (!isOwn(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeUnread(path);
    else if (entry.isFile() && unread.test(entry.name)) remove(path);
  }
}

/**
 * Whether a path exists and does not lead out of heddle's folder by a link.
 * @param {string} path
 */
function isOwn(path) {
  return existsSync(path) && `${realpathSync(path)}${sep}`.startsWith(`${realpathSync(own)}${sep}`);
}

/** @param {string} path @returns {string[]} */
function foldersOf(path) {
  return isOwn(path) ? readdirSync(path) : [];
}

/** @param {string} path */
function remove(path) {
  rmSync(path, { recursive: true, force: true });
}
