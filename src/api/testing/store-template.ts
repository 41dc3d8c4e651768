import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { storesOnServers } from '../../../testing/test-stores.ts';

/** Vitest's global set-up: making empty stores takes seconds, copying them does not. */
export default async function provideStoreTemplate(project: { provide(key: 'storeTemplate', value: string): void }) {
  shared.heddleStoreTemplate ??= makeEmptyStores();
  const directory = await shared.heddleStoreTemplate;
  project.provide('storeTemplate', directory);
  return () => rmSync(dirname(directory), { recursive: true, force: true });
}

/** Vitest loads this module for each project; the projects share one template. */
const shared = globalThis as { heddleStoreTemplate?: Promise<string> };

async function makeEmptyStores(): Promise<string> {
  const directory = join(mkdtempSync(join(tmpdir(), 'heddle-tests-')), 'empty');
  mkdirSync(directory);
  await run(new URL('../../../scripts/prepare-postgres.ts', import.meta.url)); // does nothing after `npm ci`
  await run(new URL('./make-empty-stores.ts', import.meta.url), directory);
  return directory;
}

function run(program: URL, ...words: string[]) {
  return promisify(execFile)(process.execPath, ['--liftoff-only', fileURLToPath(program), ...words]);
}

/** A copy of a data directory, without stores that are on servers, or a directory with one of its stores; the caller removes it. */
export function copyStoreTemplate(template: string, store: 'clickhouse' | 'postgres' | '' = ''): string {
  return copyTo(mkdtempSync(join(tmpdir(), 'heddle-test-')), template, store);
}

/** The same for a data directory that is used until the process is killed; it is removed with the template. */
export function copyForProcess(template: string): string {
  return copyTo(mkdtempSync(join(dirname(template), 'data-')), template, '');
}

function copyTo(directory: string, template: string, store: 'clickhouse' | 'postgres' | ''): string {
  const elsewhere = storesOnServers().map((name) => join(template, name));
  cpSync(join(template, store), join(directory, store), {
    recursive: true,
    verbatimSymlinks: true, // ClickHouse's links are relative; by default, Node would make them point into the template
    filter: (path) => store !== '' || !elsewhere.includes(path),
  });
  return directory;
}

declare module 'vitest' {
  interface ProvidedContext {
    storeTemplate: string;
  }
}
