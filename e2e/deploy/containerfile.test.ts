import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentName, readConfig, type SettingName, settings } from '../../src/config.ts';
import { deployEnvironment } from './environment.ts';
import { containerfile, healthCommandOf, readContainerfile, variablesOf, wordsOf } from './read-containerfile.ts';
import { runTool } from './run-tool.ts';

const stages = readContainerfile();
const image = stages.at(-1)!;
const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));

test.skipIf(!deployEnvironment.isReady())('hadolint finds nothing', async () => {
  expect(await runTool('hadolint', [containerfile])).toEqual({ code: 0, out: '', err: '' });
});

test('every stage has the version of Node that a clone has', () => {
  expect(stages.map(({ base }) => base)).toEqual(stages.map(() => `node:${manifest.dependencies.node}-bookworm-slim`));
});

test('the image runs heddle itself as process 1, as a user without rights, and checks /health', () => {
  expect(JSON.parse(wordsOf(image, 'CMD'))).toEqual(['heddle', 'serve']);
  expect(image.instructions.map(({ name }) => name)).not.toContain('ENTRYPOINT');
  expect(wordsOf(image, 'USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(wordsOf(image, 'STOPSIGNAL')).toBe('SIGTERM');
  expect(healthCommandOf(image).join(' ')).toContain("+ '/health'");
});

test('the variables of the image are settings with valid values, and lead to the volume', () => {
  const variables = variablesOf(image);
  const known = (Object.keys(settings) as SettingName[]).map(environmentName);
  expect(Object.keys(variables).filter((name) => name.startsWith('HEDDLE_') && !known.includes(name))).toEqual([]);
  expect(readConfig({}, variables)).toMatchObject({ host: '0.0.0.0', data: '/data/heddle' });
  expect(JSON.parse(wordsOf(image, 'VOLUME'))).toEqual(['/data']);
  expect(variables.NODE_COMPILE_CACHE).toMatch(/^\/data\//);
});

test('a build gets the sources, and neither secrets nor what npm installed here', () => {
  const lines = readFileSync(`${containerfile}.dockerignore`, 'utf8').split('\n').filter(Boolean);
  expect(lines[0]).toBe('**'); // only what follows with an exclamation mark
  const sources = manifest.files
    .filter((each: string) => !/^!|dist/.test(each))
    .map((each: string) => each.split('/')[0]);
  for (const each of ['src', 'web', 'package.json', 'package-lock.json', ...sources])
    expect(lines).toContain(`!${each}`);
  for (const each of ['**/node_modules', '**/.env*']) expect(lines).toContain(each);
});
