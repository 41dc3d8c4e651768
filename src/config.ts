import { isIP } from 'node:net';
import { resolve } from 'node:path';

/**
 * Every setting of heddle, and the only reader of the environment. A setting is given as a flag of `heddle serve`
 * (`--port 7000`) or as an environment variable (`HEDDLE_PORT=7000`); the flag wins.
 */
export const settings = {
  host: text('127.0.0.1', 'Address to listen on. 0.0.0.0 listens on all of them.'),
  port: integer(7400, 0, 65_535, 'Port to listen on. 0 takes a free one.'),
  data: text('heddle-data', 'Directory that holds all data. Made at the first start, readable by its owner alone.'),
  diskReserveBytes: integer(
    256 * 1024 * 1024,
    0,
    1024 ** 4,
    'Free space to keep on the disk of the data, in bytes: below it, new data are refused with 507 and reading goes on. The ' +
      'default is at most an eighth of the disk.',
  ),
  apiKey: text('', "The owner's key at the first start, for containers and tests: 40 letters and digits or more."),
  owner: text('', 'Name of the owner and of their entity at the first start. Default: the name of the system user.'),
  publicUrl: text('', 'Address under which clients reach this server, when it stands behind a proxy.'),
  trustedProxies: networks(
    'Addresses of the proxies before this server, with commas between them: 10.0.0.0/8, ::1. Only what they say of where ' +
      'a request came from is believed (X-Forwarded-For).',
  ),
  bodyMaxBytes: integer(32 * 1024 * 1024, 1024, 1024 ** 3, 'Largest body of a request that brings data, in bytes.'),
  queryMaxBytes: integer(4 * 1024 * 1024, 1024, 1024 ** 3, 'Largest body of any other request, in bytes.'),
  queryTimeMaxMs: integer(30_000, 1, 86_400_000, 'Longest time that one query may run in the store, in milliseconds.'),
  queryReadMaxBytes: integer(
    64 * 1024 ** 3,
    1,
    2 ** 50,
    'Most bytes, uncompressed, that one query may read from the store.',
  ),
  queryMemoryMaxBytes: integer(1024 ** 3, 1, 2 ** 50, 'Most memory that one query may use in the store, in bytes.'),
  queryThreadsMax: integer(4, 1, 1024, 'Processor cores that one query may use at the same time.'),
  queryTrialMs: integer(
    300,
    1,
    60_000,
    'Queries that use more processor time than this, in milliseconds, count as long.',
  ),
  queryLongMax: integer(
    2,
    1,
    16,
    'Long queries that run at the same time; at most half of them, or one, of one project.',
  ),
  queryWaitingMax: integer(
    500,
    1,
    4000,
    'Queries of one project that may wait for their turn; beyond it clients get 429.',
  ),
  queryWaitMaxMs: integer(
    30_000,
    1,
    86_400_000,
    'Longest time that a query may wait for its turn; then its client gets 429.',
  ),
  dataMaxBytes: integer(
    96 * 1024 * 1024,
    1024,
    1024 ** 4,
    'Bytes of data that may be under way at once, in bodies not yet answered; beyond it clients are asked to wait (429).',
  ),
  bodyBytesPerSecondMin: integer(
    16 * 1024,
    0,
    1024 ** 3,
    'Bytes a second that the body of a request must bring, averaged over 10 seconds; slower ones get 408.',
  ),
  bodySecondsMax: integer(300, 1, 86_400, 'Seconds that the body of a request may take to arrive; later ones get 408.'),
  connectionsMax: integer(
    10_000,
    1,
    1_000_000,
    'Connections that may be open at once; further ones get 429 and are closed.',
  ),
  defaultModel: text('heddle/tiny', 'The model that answers chat requests which name none.'),
  chatRunningMax: integer(32, 1, 4096, 'Sequences of one model that are generated at the same time.'),
  chatWaitingMax: integer(
    2_000,
    0,
    1_000_000,
    'Chat requests that may wait for one model; beyond it clients get 429. Users and their projects are served in turn.',
  ),
  chatChoicesMax: integer(256, 1, 16_384, 'Choices (n) that one chat request may ask for.'),
  chatLogprobsMax: integer(
    20,
    -1,
    1_000_000,
    'Alternatives whose logprobs a chat request may ask for with each token; -1 allows the whole vocabulary.',
  ),
  modelNiceness: integer(
    5,
    0,
    19,
    'How much lower the priority of model processes is than that of the server, as in `nice -n`. 0 gives both the same.',
  ),
  modelIdleMinutes: integer(
    0,
    0,
    525_600,
    'Minutes after which a model that nobody uses is closed, which frees its memory. 0 keeps it open.',
  ),
  modelMemoryMaxBytes: integer(
    0,
    0,
    2 ** 50,
    'Most memory that all models together may take, with their caches, in bytes. 0: what is free at the start.',
  ),
  chatPreparersMax: integer(
    2,
    1,
    64,
    'Processes of one model that render chat templates sent in requests, and as many that compile grammars. They start ' +
      'when they are needed and run at low priority.',
  ),
  chatPreparationsWaitingMax: integer(
    2_000,
    1,
    1_000_000,
    'Chat templates, and grammars, that may wait to be prepared for one model; beyond it clients get 429. Users and their ' +
      'projects are served in turn, and none can take the places of the others.',
  ),
  redactCredentials: flag(true, 'Replace values under keys such as api_key in what is traced by "REDACTED".'),
  catalogueUrl: webAddress(
    'Base address of a server whose model catalogue (/inference/…) is added to ours. None is asked by default.',
  ),
  geoDatabase: text('', 'File in the format of MaxMind (.mmdb) from which /geolocate tells countries.'),
  logLevel: choice('info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace'], 'How much to log.'),
  logFormat: choice('auto', ['auto', 'pretty', 'json'], 'auto: readable on a terminal, JSON lines otherwise.'),
} satisfies Record<string, Setting<string | number | boolean>>;

export type SettingName = keyof typeof settings;
export type Config = { [name in SettingName]: ReturnType<(typeof settings)[name]['parse']> } & {
  /** The flag or variable that gave each setting that is not at its default. */
  sources: Partial<Record<SettingName, string>>;
};

/** A setting that is unknown or malformed: the message names it and says what would be right. */
export class ConfigError extends Error {}

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
      const shown = name === 'apiKey' ? '' : ` (found "${value}")`;
      throw new ConfigError(`${source} must be ${(error as Error).message}${shown}.`);
    }
  };
  const names = Object.keys(settings) as SettingName[];
  const values = Object.fromEntries(names.map((name) => [name, read(name)])) as Omit<Config, 'sources'>;
  checkApiKey(values.apiKey);
  return { ...values, data: resolve(values.data), sources };
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

function networks(help: string): Setting<string> {
  const expected = 'addresses or networks with commas between them, such as 10.0.0.0/8, ::1';
  return {
    default: '',
    help,
    expected,
    parse(value) {
      if (!value.split(',').every((each) => isNetwork(each.trim()))) throw new Error(expected);
      return value;
    },
  };
}

function isNetwork(text: string): boolean {
  const [address = '', prefix = '0', ...more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return more.length === 0 && /^\d+$/.test(prefix) && Number(prefix) <= bits;
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
    `HEDDLE_API_KEY must be 40 letters and digits or more (found ${key.length} characters). ` +
      'One way to make such a key: openssl rand -hex 32',
  );
}

/** A mistyped variable would otherwise be silently without effect. */
function refuseUnknown(environment: Given): void {
  const known = new Set((Object.keys(settings) as SettingName[]).map(environmentName));
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('HEDDLE_') || known.has(name)) continue;
    const close = [...known].find((each) => distance(each, name) <= 2);
    throw new ConfigError(
      `${name} is not a setting of heddle.${close ? ` Did you mean ${close}?` : ''} \`heddle serve --help\` lists them all.`,
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
