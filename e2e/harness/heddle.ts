import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startHeddleProcess, testCommand } from '../../testing/heddle-process.ts';
import { adapterFolders } from './adapter-folder.ts';

export type Heddle = {
  url: string;
  pid: number;
  key: string;
  entity: string;
  /** Requests of the kind a client sends, with the owner's key. */
  post(path: string, body: unknown): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Stores a file of this text. */
  upload(project: string, text: string): Promise<Answer>;
  /** The name of a project that nobody has used. */
  newProject(): string;
  /** Runs another `heddle` command beside the server and returns what it printed. */
  command(...words: string[]): Promise<string>;
  /** What the server has logged since this was last asked. */
  takeLog(): string;
  /** What it has written to its log. */
  log(): string;
  /** Ends the process and waits for it. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<{ code: number | null; signal: string | null }>;
  /** A proper end: everything answered, exit status 0, no error in the log. The data are removed. */
  close(): Promise<void>;
};

export type Answer = {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  lines: any[];
};

const key = 'e2e0owner0key'.padEnd(48, '0');
const entity = 'ent';

/** A directory for the data of a server; kept over its restarts. */
export function newDataDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'heddle-e2e-'));
}

/** Starts heddle on a free port, and waits until it says that it is ready. `command` runs an installed one. */
export async function startHeddle(
  data = newDataDirectory(),
  environment: Record<string, string> = {},
  command = testCommand,
): Promise<Heddle> {
  const settings = { ...ownSettings(data), ...environment };
  const {
    address: url,
    child,
    output,
    exited,
  } = await startHeddleProcess({ settings, environment: ownEnvironment, command });
  let projects = 0;
  let logTaken = 0;

  async function request(path: string, init: RequestInit): Promise<Answer> {
    const headers = { ...init.headers, authorization: `Bearer ${key}` };
    const response = await fetch(url + path, { ...init, headers });
    const text = await response.text();
    return {
      status: response.status,
      text,
      get json() {
        return JSON.parse(text);
      },
      get lines() {
        return text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
      },
    };
  }

  return {
    url,
    pid: child.pid!,
    key,
    entity,
    get: (path) => request(path, { method: 'GET' }),
    post(path, body) {
      const headers = { 'content-type': 'application/json' };
      return request(path, { method: 'POST', body: JSON.stringify(body), headers });
    },
    upload(project, text) {
      const form = new FormData();
      form.set('project_id', project);
      form.set('file', new Blob([text]), 'text.txt');
      return request('/file/create', { method: 'POST', body: form });
    },
    newProject: () => `${entity}/p${projects++}`,
    async command(...words) {
      const [program, ...given] = command;
      const env = { ...ownEnvironment, HEDDLE_DATA: data };
      const { stdout } = await promisify(execFile)(program!, [...given, ...words], { env });
      return stdout.trim();
    },
    takeLog() {
      const log = output.err.slice(logTaken);
      logTaken = output.err.length;
      return log;
    },
    log: () => output.err,
    end(signal) {
      child.kill(signal);
      return exited;
    },
    async close() {
      child.kill('SIGTERM');
      const { code } = await exited;
      rmSync(data, { recursive: true, force: true });
      const complaints = output.err.split('\n').filter(isComplaint);
      if (code !== 0 || complaints.length > 0) {
        throw new Error(`heddle ended with status ${code} and complained:\n${complaints.join('\n')}`);
      }
    },
  };
}

const ownEnvironment = { PATH: process.env.PATH };

function ownSettings(data: string) {
  const owner = { HEDDLE_API_KEY: key, HEDDLE_OWNER: entity };
  return { HEDDLE_PORT: '0', HEDDLE_DATA: data, HEDDLE_ADAPTER_FOLDERS: adapterFolders, ...owner };
}

/** Runs a `heddle` command until it exits; `input` is its standard input. */
export function runHeddle(data: string, words: string[], environment: Record<string, string> = {}, input = '') {
  const [program, ...given] = testCommand;
  const env = { ...ownEnvironment, ...ownSettings(data), ...environment };
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(program!, [...given, ...words], { env, timeout: 60_000 }, (error, out, err) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err });
    });
    child.stdin!.on('error', () => {}); // a command that reads nothing may have ended
    child.stdin!.end(input);
  });
}

/** A log line of level `warn` or above, or anything that is not a log line, such as a warning of Node itself. */
function isComplaint(line: string): boolean {
  if (line === '') return false;
  try {
    return (JSON.parse(line) as { level: number }).level >= 40;
  } catch {
    return true;
  }
}
