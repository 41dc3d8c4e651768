import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Compiles `src/` to JavaScript in `dist/` for the package (`npm run build`; `npm pack` runs it). Node does not strip types
 * below `node_modules`, so the package cannot run its TypeScript as a clone does.
 */
const root = join(import.meta.dirname, '..');
const source = join(root, 'src');
const target = join(root, 'dist');

rmSync(target, { recursive: true, force: true });
// `npm run check` compares types, which takes most of the compiler's time.
execFileSync('tsc', ['--noCheck', '--project', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
const assets = ['cli/entry.mjs', 'store/*/migrations/*.sql'];
for (const path of globSync(assets, { cwd: source })) cpSync(join(source, path), join(target, path));
for (const path of globSync(['**/*.js', '**/*.mjs'], { cwd: target })) renameModules(join(target, path));

/** Threads and processes are started from files named by strings, which the compiler leaves alone. */
function renameModules(file: string): void {
  const text = readFileSync(file, 'utf8');
  const renamed = text.replaceAll(/(?<=['"]\.{1,2}\/[\w./-]+)\.ts(?=['"])/g, '.js');
  const missed = /['"][\w./-]*\.ts['"]/.exec(renamed)?.[0];
  if (missed) throw new Error(`${relative(root, file)} names ${missed}, a file that dist/ does not have`);
  if (renamed !== text) writeFileSync(file, renamed);
}
