import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `npm pack` runs this before and after it reads package.json (`prepack`, `postpack`). The package's manifest leaves out
 * what only a clone needs: the tools, their scripts, and `node`, which gives a clone a newer Node than npm may run on.
 */
const root = join(import.meta.dirname, '..');
const manifestFile = join(root, 'package.json');
const savedFile = join(root, 'dist/package.clone.json');

const [step] = process.argv.slice(2);
if (step === 'write') {
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  const { devDependencies, allowScripts, overrides, workspaces, ...kept } = manifest;
  const { node, ...dependencies } = manifest.dependencies;
  writeFileSync(savedFile, readFileSync(manifestFile));
  const scripts = { preinstall: 'node scripts/skip-cuda.mjs', postinstall: manifest.scripts.postinstall };
  writeFileSync(manifestFile, `${JSON.stringify({ ...kept, scripts, dependencies }, null, 2)}\n`);
} else if (step === 'restore') {
  renameSync(savedFile, manifestFile);
} else {
  throw new Error('usage: node scripts/package-manifest.ts write|restore');
}
