import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHeddleProcess } from '../../../testing/heddle-process.ts';
import type { LongestStep } from './step-probe.ts';

/** A server in a separate process, with a probe inside, so that the work of its clients is not measured. */
export type ProbedServer = {
  address: string;
  post(path: string, body: Buffer | string, contentType?: string): Promise<{ status: number; text: string }>;
  /** The longest step of its event loop since the last call. */
  longestStep(): Promise<LongestStep>;
  close(): Promise<void>;
};

const key = 'probed'.padEnd(48, '0');

/** `data`: a data directory, which is removed at the end. */
export async function startProbedServer(data = newDataDirectory()): Promise<ProbedServer> {
  const probe = new URL('./step-probe.ts', import.meta.url);
  const settings = { HEDDLE_DATA: data, HEDDLE_OWNER: 'ent', HEDDLE_API_KEY: key, HEDDLE_LOG_LEVEL: 'fatal' };
  const { address, child, exited } = await startHeddleProcess({ settings, probe, showsErrors: true });
  return {
    address,
    post: (path, body, contentType = 'application/json') => post(address + path, body, contentType),
    async longestStep() {
      const answer = once(child, 'message');
      child.send('longest step');
      return (await answer)[0];
    },
    async close() {
      child.kill('SIGTERM');
      await exited;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function newDataDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'heddle-probed-'));
}

/** Keeps only the beginning of an answer. */
function post(url: string, body: Buffer | string, contentType: string): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': contentType };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (part) => {
        if (text.length < 10_000) text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode!, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
