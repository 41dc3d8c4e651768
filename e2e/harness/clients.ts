import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatEnvironment } from '../chat-clients/environment.ts';
import { agentsEnvironment } from '../otlp/environment.ts';
import { python } from '../python/environment.ts';
import { tensorZeroEnvironment } from '../tensorzero/environment.ts';
import { artEnvironment } from '../training/environment.ts';
import type { Heddle } from './heddle.ts';
import type { PythonEnvironment } from './python-environment.ts';

type Options = {
  /** The program's arguments; the project comes first. */
  args: string[];
  environment?: Record<string, string>;
  /** What the client may say although it sounds like a complaint. */
  expected?: RegExp;
  /** For a program that works longer than others. */
  timeoutMs?: number;
};

/** What a program printed: its last line, as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: every program reports in its own shape
type Report = any;

/** Runs a Python program with the two variables a user sets, and nothing of this machine's settings and caches. */
export function runPython(heddle: Heddle, program: string, options: Options): Promise<Report> {
  const environment = { WANDB_BASE_URL: heddle.url, WANDB_API_KEY: heddle.key, WANDB_ERROR_REPORTING: 'false' };
  return runWithReport(python, join(import.meta.dirname, '../python', program), options, environment);
}

/** The same for the chat clients, which are told of heddle by their own arguments. */
export function runChatClient(heddle: Heddle, program: string, options: Options): Promise<Report> {
  const environment = { WANDB_BASE_URL: heddle.url, WANDB_API_KEY: heddle.key, ...offline };
  return runWithReport(
    chatEnvironment.python,
    join(import.meta.dirname, '../chat-clients', program),
    options,
    environment,
  );
}

/** The same for the newest OpenAI client and its agents, which come with the agent libraries. */
export function runOpenAi(heddle: Heddle, program: string, options: Options): Promise<Report> {
  const environment = { WANDB_BASE_URL: heddle.url, WANDB_API_KEY: heddle.key };
  const path = join(import.meta.dirname, '../openai', program);
  return runWithReport(agentsEnvironment.python, path, options, environment);
}

/** LiteLLM would fetch its list of prices at each start. */
const offline = { LITELLM_LOCAL_MODEL_COST_MAP: 'True' };

/** The same for the wandb package, in the version that ART requires or that of another environment. */
export function runWandb(
  heddle: Heddle,
  program: string,
  options: Options,
  { python: interpreter } = artEnvironment,
): Promise<Report> {
  const path = join(import.meta.dirname, '../wandb', program);
  const environment = { WANDB_BASE_URL: heddle.url, WANDB_API_KEY: heddle.key, WANDB_ERROR_REPORTING: 'false' };
  return runWithReport(interpreter, path, options, environment);
}

/** The same for OpenPipe ART. With a key in its environment it also records runs, as for W&B. */
export function runArt(heddle: Heddle, program: string, options: Options): Promise<Report> {
  const path = join(import.meta.dirname, '../training', program);
  return runWithReport(artEnvironment.python, path, options, { WANDB_BASE_URL: heddle.url, ...offline });
}

/** The same for the client of the Tinker API, whose keys begin with `tml-`. */
export function runTinker(
  heddle: Heddle,
  program: string,
  { python: interpreter }: PythonEnvironment,
  options: Options,
): Promise<Report> {
  const path = join(import.meta.dirname, '../tinker-api', program);
  const environment = { TINKER_BASE_URL: heddle.url, TINKER_API_KEY: `tml-${heddle.key}`, HF_HUB_OFFLINE: '1' };
  return runWithReport(interpreter, path, options, { ...environment, PYTHONWARNINGS: 'ignore' });
}

/** The same for TensorZero's client, whose gateway is a project. */
export function runTensorZero(
  heddle: Heddle,
  program: string,
  { project, ...options }: Options & { project: string },
): Promise<Report> {
  const path = join(import.meta.dirname, '../tensorzero', program);
  const environment = { GATEWAY_URL: `${heddle.url}/tensorzero/${project}`, TENSORZERO_API_KEY: heddle.key };
  return runWithReport(tensorZeroEnvironment.python, path, options, environment);
}

/** The same for JavaScript, whose SDK needs the address of the trace server where that speaks plain http. */
export function runJs(heddle: Heddle, program: string, options: Options): Promise<Report> {
  const environment = { WF_TRACE_SERVER_URL: heddle.url, WANDB_API_KEY: heddle.key };
  return runWithReport(process.execPath, join(import.meta.dirname, '../js', program), options, environment);
}

/** Runs one of the programs whose spans are captured in `testing/spans`: environment variables alone configure where it sends them. */
export async function runTracedProgram(
  interpreter: string,
  program: string,
  environment: Record<string, string>,
  expected?: RegExp,
): Promise<void> {
  const path = join(import.meta.dirname, '../../scripts/capture-spans/programs', program);
  await run(interpreter, path, [], { ...environment, PYTHONDONTWRITEBYTECODE: '1' }, expected);
}

async function runWithReport(interpreter: string, program: string, options: Options, client: object): Promise<Report> {
  const { args, environment, expected, timeoutMs } = options;
  const out = await run(interpreter, program, args, { ...client, ...environment }, expected, timeoutMs);
  return JSON.parse(out.trimEnd().split('\n').at(-1)!);
}

/** What the program printed. @throws where it failed or complained of something */
async function run(
  interpreter: string,
  program: string,
  args: string[],
  environment: object,
  expected?: RegExp,
  timeoutMs = usualTimeoutMs,
) {
  const home = mkdtempSync(join(tmpdir(), 'heddle-client-'));
  const child = spawn(interpreter, [program, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: home, PYTHONUTF8: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
  const [code, signal] = await once(child, 'close');
  rmSync(home, { recursive: true, force: true });
  const lines = [...err.split('\n'), ...out.trimEnd().split('\n').slice(0, -1)];
  const complaint = lines.find((line) => complaints.test(line.replace(addresses, '')) && !expected?.test(line));
  if (code !== 0 || complaint) {
    const reason = code === 0 ? `complained: ${complaint}` : `ended with status ${code ?? signal}`;
    throw new Error(`${program} ${reason}\n${err}\n${out}`);
  }
  return out;
}

/** Below the time limit of a test, so that a client that hangs shows what it said. */
const usualTimeoutMs = 150_000;

/** They end in digests, whose letters may spell anything. */
const addresses = /\b[a-z]+:\/\/\S+/g;

/** A client that works well is silent about all of these. */
const complaints =
  /warn|error|exception|traceback|retry|retrying|failed|failure|dropped|timed? ?out|status(Code| code)? ?[45]\d\d/i;
