import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migratePostgres } from '../../store/postgres/migrate.ts';
import { openPglite } from '../../store/postgres/postgres.ts';

/** Vitest's global set-up: making an empty PostgreSQL takes seconds, copying one does not. */
export default async function makeStoreTemplate(project: { provide(key: 'storeTemplate', value: string): void }) {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-template-'));
  const postgres = await openPglite(join(directory, 'postgres'));
  await migratePostgres(postgres);
  await postgres.close();
  project.provide('storeTemplate', directory);
  return () => rmSync(directory, { recursive: true, force: true });
}

/** A data directory with empty stores; the caller removes it. */
export function copyStoreTemplate(template: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-test-'));
  cpSync(template, directory, { recursive: true });
  return directory;
}

declare module 'vitest' {
  interface ProvidedContext {
    storeTemplate: string;
  }
}
