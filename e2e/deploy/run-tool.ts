import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { deployEnvironment } from './environment.ts';

type Ended = { code: number | null; out: string; err: string };

/** A program of the environment of the linters. */
export const toolPath = (name: string): string => join(dirname(deployEnvironment.python), name);

/** Runs one until it ends; `input` is its standard input. */
export function runTool(name: string, words: string[], input = ''): Promise<Ended> {
  const child = spawn(toolPath(name), words, { stdio: 'pipe' });
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (ended.out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (ended.err += text));
  child.stdin.on('error', () => {}); // it may end without reading all
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ ...ended, code }));
  });
}
