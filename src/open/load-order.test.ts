import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../api/testing/store-template.ts';

const url = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);

/** Opens everything that a server opens, and prints when bounds of WebAssembly began to be checked and modules were compiled. */
const program = `
  import v8 from 'node:v8';
  import { syncBuiltinESMExports } from 'node:module';
  const events = [];
  const watch = (object, name, event) => {
    const original = object[name];
    object[name] = function (...args) { events.push(event(args)); return original.apply(this, args); };
  };
  watch(v8, 'setFlagsFromString', ([flag]) => flag);
  syncBuiltinESMExports();
  for (const name of ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming']) watch(WebAssembly, name, () => 'compiled');
  const { openContext } = await import(${url('./context.ts')});
  const { readConfig } = await import(${url('../config.ts')});
  const { openLog } = await import(${url('../log.ts')});
  const config = readConfig({}, { HEDDLE_DATA: process.argv[1], HEDDLE_LOG_LEVEL: 'error' });
  const context = await openContext(config, openLog(config));
  await context.close();
  process.stdout.write(JSON.stringify(events));
  process.exit(0);
`;

test('bounds of WebAssembly are checked before PostgreSQL is compiled: chDB replaces the handler that would notice', () => {
  const data = copyStoreTemplate(inject('storeTemplate'));
  const words = ['--input-type=module', '-e', program, '--', data];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  rmSync(data, { recursive: true, force: true });
  const events: string[] = stdout === '' ? [stderr] : JSON.parse(stdout);
  expect(events).toContain('compiled');
  expect(events.indexOf('--wasm-enforce-bounds-checks')).toBe(0);
});
