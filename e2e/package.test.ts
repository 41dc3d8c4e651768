import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyClusterFile } from '../src/store/postgres/embedded/empty-cluster.ts';
import { healthCommandOf, readContainerfile, variablesOf, wordsOf } from './deploy/read-containerfile.ts';
import { canUnshare } from './harness/can-unshare.ts';
import { type Heddle, newDataDirectory, startHeddle } from './harness/heddle.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'heddle-package-'));
const prefix = join(folder, 'prefix');
const installed = join(prefix, 'lib/node_modules/heddle');
let tarball: string;
let heddle: Heddle;

/** `npm pack` in a copy of the clone, `npm install -g` of the tarball into an empty directory, `heddle serve`. */
beforeAll(async () => {
  await run('npm', ['pack', '--pack-destination', folder], { cwd: copyOfClone() });
  tarball = join(folder, readdirSync(folder).find((file) => file.endsWith('.tgz'))!);
  await run('npm', ['install', '-g', '--prefix', prefix, '--prefer-offline', tarball], { cwd: folder });
  heddle = await startHeddle(newDataDirectory(), {}, [join(prefix, 'bin/heddle')]);
}, 240_000);

afterAll(async () => {
  await heddle?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('the installed package starts and traces a call', async () => {
  const project = heddle.newProject();
  const time = new Date().toISOString();
  const call = {
    project_id: project,
    id: crypto.randomUUID(),
    trace_id: crypto.randomUUID(),
    op_name: 'greet',
    started_at: time,
    ended_at: time,
    attributes: {},
    inputs: { name: 'world' },
    output: 'hello world',
    summary: {},
  };
  expect(await heddle.post(`/v2/${project}/calls/complete`, { batch: [call] })).toMatchObject({ status: 200 });
  const { lines } = await heddle.post('/calls/stream_query', { project_id: project });
  expect(lines).toMatchObject([{ id: call.id, inputs: call.inputs, output: call.output }]);
});

test('the installed package answers a chat with the built-in model, and constrains it with a grammar', async () => {
  const { json } = await heddle.post('/v1/chat/completions', {
    model: 'heddle/tiny',
    messages: [{ role: 'user', content: 'Will it rain?' }],
    structured_outputs: { choice: ['yes', 'no'] },
  });
  expect(['yes', 'no']).toContain(json.choices[0].message.content);
});

test('the installed package serves the web page, which it has compiled', async () => {
  const { status, text } = await heddle.get('/');
  expect(status).toBe(200);
  const [, script] = /src="(\/assets\/[^"]+\.js)"/.exec(text)!;
  expect(await heddle.get(script!)).toMatchObject({ status: 200 });
});

test('the commands of the installed package run beside its server', async () => {
  expect(await heddle.command('doctor')).toContain('✓ Server');
});

test('the package has the compiled sources alone and an empty PostgreSQL cluster, and brings no Node and no tools', () => {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => !file.startsWith('node_modules'));
  expect(own.filter((file) => /\.ts$|\.test\.|(^|\/)testing(\/|$)|fixtures/.test(file))).toEqual([]);
  expect(own).toContain(relative(root, emptyClusterFile));
  expect(['node', 'typescript', 'vitest'].filter((name) => existsSync(join(installed, 'node_modules', name)))).toEqual(
    [],
  );
});

test.skipIf(!canUnshare())(
  'the installed package starts as in the image: without rights, on a read-only root',
  async () => {
    const image = readContainerfile().at(-1)!;
    const volume = join(folder, 'volume');
    mkdirSync(volume);
    const [uid] = wordsOf(image, 'USER').split(':').map(Number);
    chownSync(volume, uid!, uid!);
    for (const path of [folder, prefix]) chmodSync(path, 0o755);
    const inFolder = (value: string) => value.replace('/opt/heddle', prefix).replace(/^\/data/, volume);
    const variables = Object.entries(variablesOf(image)).map(([name, value]) => [name, inFolder(value)]);
    const { PATH: _, ...settings } = Object.fromEntries(variables);
    const path = `${prefix}/bin:${dirname(process.execPath)}:/usr/bin:/bin`;
    const [program] = JSON.parse(wordsOf(image, 'CMD'));
    const command = ['env', `PATH=${path}`, `HOME=${volume}`, `TMPDIR=${volume}`, `VOLUME=${volume}`];
    const server = await startHeddle(settings.HEDDLE_DATA, settings, [
      ...['unshare', '--mount', ...command, 'sh', '-c', enterReadOnly, 'sh'],
      ...[
        'setpriv',
        `--reuid=${uid}`,
        `--regid=${uid}`,
        '--clear-groups',
        '--bounding-set=-all',
        '--no-new-privs',
        program,
      ],
    ]);
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t`, 'm'));
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    const [checker, ...words] = healthCommandOf(image);
    const check = (port: string) => run(checker!, words, { env: { PATH: path, HEDDLE_PORT: port } });
    await check(new URL(server.url).port);
    await expect(check('1')).rejects.toThrow();
    expect(readdirSync(volume).sort()).toContain('compiled');
    await server.close();
  },
);

test('a project that depends on the package, as npx makes one, starts it and keeps its other packages', async () => {
  const project = join(folder, 'project');
  mkdirSync(project);
  await run('npm', ['init', '-y'], { cwd: project });
  const packages = join(project, 'node_modules');
  // The other packages of the project: the same ones, since unpacking them again would take a third of a minute.
  cpSync(join(installed, 'node_modules'), packages, { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(packages, 'zod/README.md'), 'of the project');
  // ONNX Runtime's own setup would download CUDA, as in any project that does not say this.
  const env = { ...process.env, npm_config_onnxruntime_node_install: 'skip' };
  await run('npm', ['install', '--prefer-offline', '--no-audit', tarball], { cwd: project, env });
  expect(existsSync(join(packages, 'heddle/node_modules/zod'))).toBe(false);
  expect(existsSync(join(packages, 'zod/README.md'))).toBe(true);
  const started = await startHeddle(newDataDirectory(), {}, [join(packages, '.bin/heddle')]);
  expect(await started.get('/health')).toMatchObject({ status: 200 });
  await started.close();
}, 240_000);

/** Makes all file systems read-only but the volume, and becomes the program that follows. */
const enterReadOnly = `
  mount --bind "$VOLUME" "$VOLUME"
  while read -r _ path type _; do
    case "$type" in
      ext*|xfs|btrfs|overlay|tmpfs) [ "$path" = "$VOLUME" ] || mount -o remount,bind,ro "$path" 2>/dev/null ;;
    esac
  done < /proc/self/mounts
  if touch "$VOLUME/../written" 2>/dev/null; then echo "the root is not read-only" >&2; exit 1; fi
  exec "$@"`;

/** Packing writes to `dist/` and package.json: not while other tests read them. */
function copyOfClone(): string {
  const copy = join(folder, 'clone');
  mkdirSync(copy);
  const packed = [
    'src',
    'assets',
    'scripts',
    'web',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'README.md',
    'LICENSE',
  ];
  for (const name of packed) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
