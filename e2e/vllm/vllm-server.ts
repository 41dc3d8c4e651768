import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../src/util/testing/free-ports.ts';
import { vllmEnvironment } from './environment.ts';

const model = join(import.meta.dirname, '../../assets/tiny-model');

export type VllmProcess = {
  url: string;
  /** Resolves when it answers requests. @throws with the end of its log if it ends before */
  ready(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a vLLM server with the files of `heddle/tiny` as the model `tiny`. It takes a minute, and 2.6 GB. */
export async function startVllm(): Promise<VllmProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-vllm-'));
  const logFile = join(directory, 'server.log');
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(logFile, 'w');
  const child = spawn(vllmEnvironment.python, ['-m', 'vllm.entrypoints.openai.api_server', ...flags(port!)], {
    cwd: directory,
    detached: true, // its engine and its worker are in its group
    stdio: ['ignore', log, log],
    env: { ...process.env, ...variables },
  });
  return {
    url,
    async ready() {
      await untilReady(url, () => {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`vLLM has ended: ${readFileSync(logFile, 'utf8').slice(-2000)}`);
      });
    },
    async stop() {
      await endGroup(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Also sends the first request, which compiles for up to 40 s. */
export async function untilReady(url: string, checkAlive: () => void = () => {}): Promise<void> {
  while (
    !(await fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    ))
  ) {
    checkAlive();
    await sleep(500);
  }
  const body = JSON.stringify({ model: 'tiny', prompt: [1, 2], max_tokens: 2 });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/completions`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`vLLM answered ${answer.status}: ${await answer.text()}`);
}

const variables = {
  VLLM_ALLOW_RUNTIME_LORA_UPDATING: '1',
  VLLM_CPU_KVCACHE_SPACE: '1',
  HF_HUB_OFFLINE: '1',
  TRANSFORMERS_OFFLINE: '1',
  VLLM_NO_USAGE_STATS: '1',
  DO_NOT_TRACK: '1',
};

function flags(port: number): string[] {
  const values = {
    model,
    host: '127.0.0.1',
    port,
    dtype: 'float32',
    'max-model-len': 1024,
    'max-num-seqs': 16,
    'max-lora-rank': 16,
    'max-loras': 4,
    'max-logprobs': 20,
    'tool-call-parser': 'hermes',
  };
  const named = Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return [
    ...named,
    '--served-model-name',
    ...modelNames,
    '--enforce-eager',
    '--enable-lora',
    '--enable-auto-tool-choice',
  ];
}

/** The first one for tests that name the server's own models, the other for those of `heddle/tiny`. */
const modelNames = ['tiny', 'heddle/tiny'];

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
