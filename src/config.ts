import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parsePublicUrl, parseS3Url } from './store/blobs/s3/s3-url.ts';
import { checkAddress } from './store/check-address.ts';
import { parseServerUrl as parseClickHouseUrl } from './store/clickhouse/server/server-url.ts';
import { parseServerUrl, serverUrlsFault } from './store/postgres/server/server-url.ts';
import { checkTinkerUrl } from './training/tinker/server-url.ts';
import { parseNamedValues } from './util/named-values.ts';

/**
 * All settings. No other file reads the environment. A setting is a flag of `heddle serve` (`--port 7000`) or an
 * environment variable (`HEDDLE_PORT=7000`); the flag takes precedence.
 */
export const settings = {
  host: text('127.0.0.1', 'Address to listen on. 0.0.0.0 listens on all interfaces.'),
  port: integer(7400, 0, 65_535, 'Port to listen on. 0 picks a free port.'),
  peerHost: text(
    '',
    'Address at which this process listens for others that share its stores, and at which they reach it: they forward requests to ' +
      'models. Default: HEDDLE_HOST, or the first address of this machine if that is 0.0.0.0.',
  ),
  peerPort: integer(0, 0, 65_535, 'Port for the other processes. 0 picks a free port.'),
  data: text('heddle-data', 'Directory for all data. Created at the first start, accessible only to its owner.'),
  diskReserveBytes: integer(
    256 * 1024 * 1024,
    0,
    1024 ** 4,
    'Free disk space to keep, in bytes. Below it, new data is rejected with 507; reads continue. The default is at most an ' +
      'eighth of the disk.',
  ),
  postgresUrl: address(
    'PostgreSQL',
    ['postgres', 'postgresql'],
    parseServerUrl,
    'PostgreSQL server that stores what is otherwise in the data directory, such as ' +
      'postgres://user:password@host:5432/database?sslmode=verify-full (docs/scaling.md).',
  ),
  postgresDirectUrl: address(
    'PostgreSQL',
    ['postgres', 'postgresql'],
    parseServerUrl,
    'The same server without the connection pooler that HEDDLE_POSTGRES_URL leads to, for what a pooler cannot do: ' +
      'migrations and locks.',
  ),
  postgresConnectionsMax: integer(10, 2, 1000, 'Maximum number of connections to the PostgreSQL server.'),
  clickhouseUrl: address(
    'ClickHouse',
    ['https', 'http'],
    parseClickHouseUrl,
    'ClickHouse server that stores traces, which are otherwise in the data directory, such as ' +
      'https://user:password@host:8443/database, or replicas: https://user:password@a:8443,b:8443/database?cluster=name ' +
      '(docs/scaling.md).',
  ),
  clickhouseInsertsPerSecondMax: integer(
    10,
    1,
    1000,
    'Maximum number of inserts into a table of the ClickHouse server in a second. Under load, each has more rows.',
  ),
  clickhouseInsertQuorum: choice(
    'auto',
    ['auto', 'majority', 'off'],
    'On how many ClickHouse replicas a row is before it is acknowledged. majority: more than half. off: one, so that rows may be ' +
      'lost with it. auto: majority if there are three or more.',
  ),
  apiKey: text('', "The owner's API key at the first start, for containers and tests: at least 40 letters and digits."),
  owner: text('', 'Name of the owner and their entity at the first start. Default: the name of the system user.'),
  publicUrl: text('', 'Address at which clients reach this server if it is behind a proxy.'),
  secretKey: text(
    '',
    'Key that the API keys of model providers are encrypted with: at least 32 characters. Default: a random one in the file ' +
      'secret.key of the data directory. Required if all stores are on servers, and the same for all processes.',
  ),
  blobsUrl: address(
    'a bucket',
    ['s3'],
    parseS3Url,
    'Bucket for large files: s3://BUCKET/PREFIX?region=…, with &endpoint=https://HOST for a server other than AWS ' +
      '(docs/scaling.md). Default: the data directory.',
  ),
  blobsPublicUrl: address(
    'the server of a bucket',
    ['https', 'http'],
    parsePublicUrl,
    'Address at which clients reach the server of the bucket, such as https://s3.eu-central-1.amazonaws.com. They then upload ' +
      'and download files there. Default: through heddle.',
  ),
  blobCache: text(
    '',
    'Folder for local copies of files in a bucket, which several processes of a machine may share. Default: cache in the data ' +
      'directory.',
  ),
  blobCacheMaxBytes: integer(
    10 * 1024 ** 3,
    0,
    2 ** 50,
    'Disk space for local copies of files in a bucket, in bytes. Copies in use stay.',
  ),
  providerHosts: hosts(
    'Comma-separated private hosts, each with a port if needed, to which requests to model providers may go, such as ' +
      'localhost:11434. Other private addresses are refused.',
  ),
  providerSecondsMax: integer(600, 1, 86_400, 'Maximum time a model provider may take to answer, in seconds.'),
  providerMaxBytes: integer(
    64 * 1024 * 1024,
    1024,
    1024 ** 3,
    'Maximum size of an answer of a model provider, in bytes.',
  ),
  providerAttemptsMax: integer(
    4,
    1,
    20,
    'How often a request is sent to a model provider that is overloaded (429) or failing (5xx).',
  ),
  trustedProxies: networks(
    'Comma-separated addresses of the proxies in front of this server, such as 10.0.0.0/8, ::1. X-Forwarded-For is trusted ' +
      'only from them.',
  ),
  bodyMaxBytes: integer(32 * 1024 * 1024, 1024, 1024 ** 3, 'Maximum body size of requests that write data, in bytes.'),
  trainingBodyMaxBytes: integer(
    500 * 1000 * 1000,
    1024,
    500 * 1000 * 1000,
    'Maximum body size of requests that bring trajectories to train on, in bytes.',
  ),
  artifactFileMaxBytes: integer(
    5 * 1024 ** 3,
    1024,
    2 ** 40,
    'Maximum size of a file that a wandb client uploads to a run or an artifact, in bytes.',
  ),
  uploadMaxBytes: integer(
    512 * 1024 ** 2,
    1024,
    2 ** 40,
    "Maximum size of a file that is uploaded with OpenAI's files API (/v1/files), in bytes.",
  ),
  signedUrlSeconds: integer(
    3600,
    1,
    7 * 86_400,
    'How long the addresses are valid that wandb clients get for uploads and downloads, in seconds.',
  ),
  queryMaxBytes: integer(4 * 1024 * 1024, 1024, 1024 ** 3, 'Maximum body size of all other requests, in bytes.'),
  queryTimeMaxMs: integer(30_000, 1, 86_400_000, 'Maximum time a query may run in the store, in milliseconds.'),
  queryReadMaxBytes: integer(
    64 * 1024 ** 3,
    1,
    2 ** 50,
    'Maximum number of uncompressed bytes a query may read from the store.',
  ),
  queryMemoryMaxBytes: integer(1024 ** 3, 1, 2 ** 50, 'Maximum memory a query may use in the store, in bytes.'),
  queryThreadsMax: integer(4, 1, 1024, 'Maximum number of processor cores a query may use.'),
  queryTrialMs: integer(
    300,
    1,
    60_000,
    'Queries that use more processor time than this, in milliseconds, count as long queries.',
  ),
  queryLongMax: integer(
    2,
    1,
    16,
    'Maximum number of long queries that run at the same time. One project may use at most half of them, or one.',
  ),
  queryWaitingMax: integer(
    500,
    1,
    4000,
    'Maximum number of queries of one project that may wait in the queue; further ones get 429.',
  ),
  queryWaitMaxMs: integer(
    30_000,
    1,
    86_400_000,
    'Maximum time a query may wait in the queue, in milliseconds; after that it gets 429.',
  ),
  dataMaxBytes: integer(
    96 * 1024 * 1024,
    1024,
    1024 ** 4,
    'Maximum total size of request bodies being processed, in bytes; further requests get 429.',
  ),
  bodyBytesPerSecondMin: integer(
    16 * 1024,
    0,
    1024 ** 3,
    'Minimum upload rate of a request body in bytes per second, averaged over 10 seconds; slower ones get 408.',
  ),
  bodySecondsMax: integer(
    300,
    1,
    86_400,
    'Maximum time a request body may take to arrive, in seconds; slower ones get 408.',
  ),
  connectionsMax: integer(
    10_000,
    1,
    1_000_000,
    'Maximum number of open connections; further ones get 429 and are closed.',
  ),
  keepAliveSeconds: integer(
    72,
    1,
    3600,
    'How long a connection stays open between two requests, in seconds. Give a balancer in front a shorter time, so that it ' +
      'never sends a request on a connection that closes.',
  ),
  drainDelaySeconds: integer(
    5,
    0,
    3600,
    'After SIGTERM, how long new connections are still accepted, in seconds, while /health/ready answers 503 so that balancers ' +
      'stop sending requests. If all stores are in the data directory, the default is 0.',
  ),
  drainSeconds: integer(
    30,
    0,
    86_400,
    'How long requests and streams under way may then take to finish, in seconds, before they end with an error.',
  ),
  defaultModel: text('heddle/tiny', 'Model for chat requests that do not name one.'),
  vllmUrl: addresses(
    'vLLM servers whose models are served, too, with commas between them, such as http://a:8000,http://b:8000 (docs/vllm.md).',
  ),
  vllmApiKey: text('', 'Key of the vLLM servers.'),
  vllmModels: namedValues(
    'qwen=/models/qwen',
    'Where the tokenizer and the chat template of models at vLLM servers are, such as qwen=/models/qwen,llama=/models/llama. A ' +
      'folder needs the files of a Hugging Face model except its weights. For other models, the servers make tokens of messages.',
  ),
  vllmAdapters: text(
    '',
    'Folder for adapters that vLLM servers load. They must see it at the same path as this process.',
  ),
  vllmPromptLogprobs: flag(
    true,
    'Ask vLLM servers for the logprobs of prompts: for `prompt_logprobs`, and for those of constrained answers. Turn it off for vLLM on ' +
      'a CPU with --enable-lora, which such a request beside others ends.',
  ),
  vllmRequestsMax: integer(
    1024,
    1,
    100_000,
    'Maximum number of requests for one model at the vLLM servers at the same time; further ones get 429.',
  ),
  chatRunningMax: integer(32, 1, 4096, 'Maximum number of sequences a model generates at the same time.'),
  chatWaitingMax: integer(
    2_000,
    0,
    1_000_000,
    'Maximum number of chat requests waiting for one model; further ones get 429. Users and their projects take turns.',
  ),
  chatBatchInvariant: flag(
    false,
    'Make the logprobs and greedy tokens of a model bitwise independent of other requests (docs/serving.md).',
  ),
  chatSpeculativeTokensMax: integer(
    16,
    0,
    64,
    'Maximum number of tokens guessed from the text so far while a model generates a single sequence; 0 guesses none.',
  ),
  chatChoicesMax: integer(256, 1, 16_384, 'Maximum number of choices (n) in a chat request.'),
  chatLogprobsMax: integer(
    20,
    -1,
    1_000_000,
    'Maximum number of alternatives with logprobs per token in a chat request; -1 allows the whole vocabulary.',
  ),
  quantizedArithmetic: choice(
    'exact',
    ['exact', 'fast', 'widened'],
    'How models with quantized weights compute (docs/serving.md). fast: activations in 8 bits, as in llama.cpp, which changes ' +
      'an answer now and then. widened: weights in f32, for many requests at once, in 3 to 4 times the memory.',
  ),
  adaptersMax: integer(
    16,
    1,
    1_000,
    'Maximum number of adapters that a model keeps in memory. The least recently used ones make room.',
  ),
  adapterFolders: text(
    '',
    'Comma-separated folders from which users may load adapters with /v1/load_lora_adapter. None by default.',
  ),
  adapterRankMax: integer(64, 1, 1_024, 'Maximum rank of an adapter.'),
  modelNiceness: integer(
    5,
    0,
    19,
    'Niceness of model processes, as in `nice -n`. 0 gives them the same priority as the server.',
  ),
  monitorCallsPerHourMax: integer(
    1000,
    0,
    1_000_000,
    'Maximum number of calls a monitor scores per hour. Further calls are skipped and counted.',
  ),
  trainingNiceness: integer(
    10,
    0,
    19,
    'Niceness of training processes. Above that of models, chat keeps answering while a model is trained.',
  ),
  trainingThreads: integer(
    0,
    0,
    1024,
    'Number of processor cores that training uses. 0 uses all; those that chat needs it gives way to.',
  ),
  trainingIdleMinutes: integer(
    10,
    0,
    10_080,
    'Minutes for which a training process stays open, with its memory, for the next job over the same base model. 0 closes it after each job.',
  ),
  tinkerUrl: address(
    'a Tinker server',
    ['https', 'http'],
    checkTinkerUrl,
    'Tinker server that trains models, such as https://host:8000, instead of this machine (docs/tinker.md). The tokenizers of ' +
      'base models stay here.',
  ),
  tinkerApiKey: text('', 'API key for the Tinker server.'),
  tinkerModels: namedValues(
    'heddle/tiny=org/tiny',
    'Base models that have another name on the Tinker server: NAME=NAME_THERE with commas between them, such as ' +
      'heddle/tiny=/models/tiny.',
  ),
  tinkerStrict: flag(
    false,
    'Refuse to train on a Tinker server that does something otherwise than jobs may ask, instead of warning about it.',
  ),
  tinkerJobs: integer(
    2,
    1,
    1_000,
    'Number of training jobs that a process runs at once on the Tinker server. A job for which the server has no place waits.',
  ),
  tinkerProjectJobs: integer(
    0,
    0,
    1_000,
    'Number of training jobs of one project that run at once on the Tinker server, at all processes together. 0 is without a limit.',
  ),
  trainingTokensPerDay: integer(
    0,
    0,
    Number.MAX_SAFE_INTEGER,
    'Tokens that are trained for one project on one day (UTC), with their prompts. Then its jobs pause after their step. 0 is without ' +
      'a limit.',
  ),
  trainingSecondsPerDay: integer(
    0,
    0,
    86_400_000,
    'Seconds that the trainer works for one project on one day (UTC), all of its jobs together. Then they pause after their step. ' +
      '0 is without a limit.',
  ),
  trainerSamplerKlMax: fraction(
    0.015,
    100,
    'KL divergence per token between trainer and sampler above which a job of reinforcement learning raises an alarm; above ten ' +
      'times as much it pauses. 0 checks nothing. Without a Tinker server, it is checked only if this is set.',
  ),
  tinkerSessionsMax: integer(64, 1, 10_000, 'Maximum number of clients of the Tinker API that may be connected.'),
  tinkerSilentSeconds: integer(
    300,
    1,
    86_400,
    'After how many seconds without a request or a heartbeat a client of the Tinker API counts as gone: its models are saved and ' +
      'their places are free. Clients send a heartbeat every ten seconds.',
  ),
  tinkerModelsMax: integer(
    4,
    1,
    1_000,
    'Maximum number of models that clients of the Tinker API may have in training. Each has its own process and memory.',
  ),
  tinkerSequenceTokensMax: integer(
    2_048,
    16,
    1_000_000,
    'Longest sequence that clients of the Tinker API can train on. Memory grows with its square.',
  ),
  modelIdleMinutes: integer(
    0,
    0,
    525_600,
    'Minutes after which an unused model is closed to free its memory. 0 keeps models open.',
  ),
  modelMemoryMaxBytes: integer(
    0,
    0,
    2 ** 50,
    'Maximum memory of all models and their caches, in bytes. 0 uses the memory that is free at startup.',
  ),
  chatPreparersMax: integer(
    2,
    1,
    64,
    'Maximum number of processes per model that render chat templates from requests, and of those that compile grammars. ' +
      'They start on demand and run at low priority.',
  ),
  chatPreparationsWaitingMax: integer(
    2_000,
    1,
    1_000_000,
    'Maximum number of chat templates, and of grammars, waiting to be prepared for one model; further ones get 429. Users ' +
      'and their projects take turns, and none can use up the places of others.',
  ),
  redactCredentials: flag(true, 'Replace the values of keys such as api_key in traces with "REDACTED".'),
  catalogueUrl: webAddress(
    'Base address of a server whose model catalogue (/inference/…) is added to this one. None by default.',
  ),
  geoDatabase: text('', 'MaxMind database file (.mmdb) for /geolocate.'),
  logLevel: choice('info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace'], 'Minimum level of log messages.'),
  logFormat: choice('auto', ['auto', 'pretty', 'json'], 'auto: readable on a terminal, JSON lines otherwise.'),
} satisfies Record<string, Setting<string | number | boolean>>;

export type SettingName = keyof typeof settings;
export type Config = { [name in SettingName]: ReturnType<(typeof settings)[name]['parse']> } & {
  /** The flag or variable that gave each setting that is not at its default. */
  sources: Partial<Record<SettingName, string>>;
};

/** A setting is unknown or malformed: the message names it and says what is expected. */
export class ConfigError extends Error {}

/** Settings whose values must never be shown, not even in errors. */
export const secretSettings: ReadonlySet<SettingName> = new Set<SettingName>([
  'apiKey',
  'secretKey',
  'postgresUrl',
  'postgresDirectUrl',
  'clickhouseUrl',
  'vllmApiKey',
  'blobsUrl', // a mistyped one may have credentials
  'blobsPublicUrl',
  'tinkerUrl', // a mistyped one may have credentials
  'tinkerApiKey',
]);

type Given = Record<string, string | undefined>;

/** Reads the settings from flags and environment; both hold text. */
export function readConfig(flags: Given, environment: Given = process.env): Config {
  refuseUnknown(environment);
  const sources: Config['sources'] = {};
  const read = (name: SettingName) => {
    const variable = environmentName(name);
    const [source, value] =
      flags[name] !== undefined ? [`--${flagName(name)}`, flags[name]] : [variable, environment[variable]];
    if (value === undefined || value === '') return settings[name].default;
    sources[name] = source;
    try {
      return settings[name].parse(value);
    } catch (error) {
      const shown = secretSettings.has(name) ? '' : ` (found "${value}")`;
      throw new ConfigError(`${source} must be ${(error as Error).message}${shown}.`);
    }
  };
  const names = Object.keys(settings) as SettingName[];
  const values = Object.fromEntries(names.map((name) => [name, read(name)])) as Omit<Config, 'sources'>;
  checkApiKey(values.apiKey);
  checkSecretKey(values.secretKey);
  checkPostgres(values);
  checkNeeds(values, sources);
  if (sources.drainDelaySeconds === undefined && hasOwnStores(values)) values.drainDelaySeconds = 0;
  return { ...values, data: resolve(values.data), sources };
}

/** Whether all stores are in the data directory, as on the machine of a developer: Ctrl-C is then not delayed. */
function hasOwnStores({ postgresUrl, clickhouseUrl, blobsUrl }: Omit<Config, 'sources'>): boolean {
  return postgresUrl === '' && clickhouseUrl === '' && blobsUrl === '';
}

/** What is set for every program that asks the Hugging Face hub, `heddle pull` among them. */
export function hubEnvironment(environment: Given = process.env): { endpoint: string; token: string } {
  return { endpoint: environment.HF_ENDPOINT || 'https://huggingface.co', token: environment.HF_TOKEN ?? '' };
}

export function environmentName(name: SettingName): string {
  return `HEDDLE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

export function flagName(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

type Setting<Value> = { default: Value; parse(value: string): Value; help: string; expected: string };

function text(fallback: string, help: string): Setting<string> {
  return { default: fallback, help, expected: 'text', parse: (value) => value };
}

/** @param check throws for another text; its message completes "must be …" */
function address(
  of: string,
  schemes: readonly string[],
  check: (value: string) => unknown,
  help: string,
): Setting<string> {
  return {
    default: '',
    help,
    expected: `an address of ${of}`,
    parse(value) {
      checkAddress(value, schemes);
      check(value);
      return value;
    },
  };
}

function webAddress(help: string): Setting<string> {
  const expected = 'an http or https address';
  return {
    default: '',
    help,
    expected,
    parse(value) {
      if (!/^https?:$/.test(URL.parse(value)?.protocol ?? '')) throw new Error(expected);
      return value;
    },
  };
}

function addresses(help: string): Setting<string> {
  return list(
    'http or https addresses with commas between them, without a user or a password',
    (each) => {
      const url = URL.parse(each);
      return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    },
    help,
  );
}

function networks(help: string): Setting<string> {
  return list('addresses or networks with commas between them, such as 10.0.0.0/8, ::1', isNetwork, help);
}

function hosts(help: string): Setting<string> {
  const isHost = (each: string) => /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(each);
  return list('hosts with commas between them, such as localhost:11434, [::1]:8000', isHost, help);
}

/** Values with commas between them, as text. */
function list(expected: string, isValid: (each: string) => boolean, help: string): Setting<string> {
  return {
    default: '',
    help,
    expected,
    parse(value) {
      if (!value.split(',').every((each) => isValid(each.trim()))) throw new Error(expected);
      return value;
    },
  };
}

/** Names with values, as text that `parseNamedValues` reads. */
function namedValues(example: string, help: string): Setting<string> {
  const expected = `NAME=VALUE with commas between them, such as ${example}`;
  return {
    default: '',
    help,
    expected,
    parse(value) {
      if (parseNamedValues(value) === null) throw new Error(expected);
      return value;
    },
  };
}

function isNetwork(text: string): boolean {
  const [address = '', prefix = '0', ...more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return more.length === 0 && /^\d+$/.test(prefix) && Number(prefix) <= bits;
}

function fraction(fallback: number, most: number, help: string): Setting<number> {
  const expected = `a number from 0 to ${most}`;
  return {
    default: fallback,
    help,
    expected,
    parse(value) {
      const number = Number(value);
      if (!/^\d*\.?\d+(e-?\d+)?$/i.test(value) || number > most) throw new Error(expected);
      return number;
    },
  };
}

function integer(fallback: number, least: number, most: number, help: string): Setting<number> {
  const expected = `a whole number from ${least} to ${most}`;
  return {
    default: fallback,
    help,
    expected,
    parse(value) {
      const number = Number(value);
      if (!/^-?\d+$/.test(value) || number < least || number > most) throw new Error(expected);
      return number;
    },
  };
}

function flag(fallback: boolean, help: string): Setting<boolean> {
  const expected = 'true or false';
  return {
    default: fallback,
    help,
    expected,
    parse(value) {
      if (value !== 'true' && value !== 'false') throw new Error(expected);
      return value === 'true';
    },
  };
}

function choice<const Value extends string>(fallback: Value, values: readonly Value[], help: string): Setting<Value> {
  const expected = `one of ${values.join(', ')}`;
  return {
    default: fallback,
    help,
    expected,
    parse(value) {
      const found = values.find((each) => each === value);
      if (found === undefined) throw new Error(expected);
      return found;
    },
  };
}

function checkApiKey(key: string): void {
  if (key === '' || /^[A-Za-z0-9]{40,}$/.test(key)) return;
  throw new ConfigError(
    `HEDDLE_API_KEY must be at least 40 letters and digits (found ${key.length} characters). ` +
      'To generate one: openssl rand -hex 32',
  );
}

function checkSecretKey(key: string): void {
  if (key === '' || key.trim().length >= 32) return;
  throw new ConfigError(
    `HEDDLE_SECRET_KEY must have at least 32 characters (found ${key.trim().length}). To generate one: openssl rand -hex 32`,
  );
}

function checkPostgres({ postgresUrl, postgresDirectUrl }: { postgresUrl: string; postgresDirectUrl: string }): void {
  if (postgresUrl === '' || postgresDirectUrl === '') return;
  const fault = serverUrlsFault(postgresUrl, postgresDirectUrl);
  if (fault) throw new ConfigError(`HEDDLE_POSTGRES_DIRECT_URL ${fault}.`);
}

/** Settings of a server that is not named. Without it, heddle would store data in the data directory. */
const needsOfStores = {
  postgresDirectUrl: 'postgresUrl',
  postgresConnectionsMax: 'postgresUrl',
  clickhouseInsertsPerSecondMax: 'clickhouseUrl',
  clickhouseInsertQuorum: 'clickhouseUrl',
  blobsPublicUrl: 'blobsUrl',
  blobCache: 'blobsUrl',
  blobCacheMaxBytes: 'blobsUrl',
} as const satisfies Partial<Record<SettingName, SettingName>>;

/** The same, where heddle would train on this machine. */
const needs = {
  ...needsOfStores,
  tinkerApiKey: 'tinkerUrl',
  tinkerModels: 'tinkerUrl',
  tinkerStrict: 'tinkerUrl',
  tinkerJobs: 'tinkerUrl',
  tinkerProjectJobs: 'tinkerUrl',
} as const satisfies Partial<Record<SettingName, SettingName>>;

/** Settings of a heddle whose stores are not all in its data directory. */
export const settingsOfServers = [
  ...new Set([...Object.keys(needsOfStores), ...Object.values(needsOfStores)]),
] as SettingName[];

function checkNeeds(values: Omit<Config, 'sources'>, sources: Config['sources']): void {
  for (const [name, needed] of Object.entries(needs) as [keyof typeof needs, (typeof needs)[keyof typeof needs]][]) {
    if (sources[name] === undefined || values[needed] !== '') continue;
    throw new ConfigError(
      `${sources[name]} needs ${environmentName(needed)}, too. Set it, or remove ${sources[name]}.`,
    );
  }
}

/** A mistyped variable would otherwise be silently without effect. */
function refuseUnknown(environment: Given): void {
  const known = new Set((Object.keys(settings) as SettingName[]).map(environmentName));
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('HEDDLE_') || known.has(name)) continue;
    const close = [...known].find((each) => distance(each, name) <= 2);
    throw new ConfigError(
      `Unknown variable ${name}.${close ? ` Did you mean ${close}?` : ''} \`heddle serve --help\` lists them all.`,
    );
  }
}

/** Levenshtein distance, for "did you mean". */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
