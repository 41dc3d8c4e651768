import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelProcesses } from '../src/chat/testing/model-processes.ts';
import { type HeddleProcess, startHeddleProcess, testCommand } from '../testing/heddle-process.ts';
import { canUnshare } from './harness/can-unshare.ts';
import { runHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';

/** A server as an orchestrator runs it: process 1 of its container, where only a volume can be written to. */

const key = 'e2e0owner0key'.padEnd(48, '0');

/** Makes all file systems read-only but the volume, and becomes the program that follows. */
const enter = `
  mount --bind "$VOLUME" "$VOLUME"
  while read -r _ path type _; do
    case "$type" in
      ext*|xfs|btrfs|overlay|tmpfs) [ "$path" = "$VOLUME" ] || mount -o remount,bind,ro "$path" 2>/dev/null ;;
    esac
  done < /proc/self/mounts
  for each in "$VOLUME/.." "$HOME" "$REPOSITORY/node_modules"; do
    if touch "$each/written" 2>/dev/null; then echo "$each is not read-only" >&2; exit 1; fi
  done
  exec "$@"`;

const repository = join(import.meta.dirname, '..');

describe.skipIf(!canUnshare())('in a container (needs the right to make namespaces)', () => {
  const volume = mkdtempSync(join(tmpdir(), 'heddle-volume-'));
  const data = join(volume, 'data');
  let server: HeddleProcess;
  let pid: number;
  beforeAll(async () => {
    renameSync(testDataDirectory(), data);
    for (const name of ['temporary', 'compiled']) mkdirSync(join(volume, name));
    const settings = {
      ...{ HEDDLE_DATA: data, HEDDLE_API_KEY: key, HEDDLE_OWNER: 'ent' },
      ...{ TMPDIR: join(volume, 'temporary'), NODE_COMPILE_CACHE: join(volume, 'compiled') },
      ...{ VOLUME: volume, REPOSITORY: repository },
    };
    const namespaces = ['unshare', '--pid', '--fork', '--mount-proc', '--mount'];
    server = await startHeddleProcess({ settings, command: [...namespaces, 'sh', '-c', enter, 'sh', ...testCommand] });
    pid = childrenOf(server.child.pid!)[0]!;
  });
  afterAll(async () => {
    if (pid !== undefined && server.child.exitCode === null) process.kill(pid, 'SIGKILL');
    await server?.exited;
    rmSync(volume, { recursive: true, force: true });
  });

  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(server.address + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return answer.status;
  };
  const chat = () =>
    post('/v1/chat/completions', {
      ...{ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4 },
      ...{ structured_outputs: { choice: ['yes', 'no'] }, chat_template: '{{ messages[0].content }}' },
    });

  test('it is process 1, and writes only to the volume', async () => {
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^NSpid:\t\d+\t1$/m);
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toMatch(/^[^\0]*node\0/);
    expect(await chat()).toBe(200);
    const object = { project_id: 'ent/p', object_id: 'large', val: { text: 'x'.repeat(600_000) } };
    expect(await post('/obj/create', { obj: object })).toBe(200);
    const runs = join(repository, 'testing/exports/openai-evals.json');
    expect(await runHeddle(data, ['import', 'openai', runs, '--project', 'ent/p'])).toMatchObject({ code: 0 });
    expect(readdirSync(join(volume, 'compiled'))).not.toEqual([]);
    expect(server.output.err.split('\n').filter((line) => /EROFS|read-only/i.test(line))).toEqual([]);
  });

  test('it waits for processes whose parent was killed', async () => {
    const [model] = modelProcesses(pid);
    const orphans = childrenOf(model!.pid);
    expect(orphans).not.toEqual([]);
    process.kill(model!.pid, 'SIGKILL');
    await expect.poll(() => orphans.map((each) => statOf(each))).toEqual(orphans.map(() => null));
    expect(await chat()).toBe(200); // the end of the model itself was not missed
    expect(modelProcesses(pid).map((each) => each.pid)).not.toEqual([model!.pid]);
  });

  test('signals reach it', async () => {
    process.kill(pid, 'SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });
});

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => Number(statOf(pid)?.[1]) === parent);
}

/** The fields from the state on; null for a process that somebody has waited for. */
function statOf(pid: number): string[] | null {
  try {
    return /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]!.split(' ');
  } catch {
    return null;
  }
}
