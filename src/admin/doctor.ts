import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { environmentName, type SettingName, secretSettings, settings } from '../config.ts';
import { checkFiles } from '../store/blobs/check-files.ts';
import { parseS3Url } from '../store/blobs/s3/s3-url.ts';
import { storePaths } from '../store/data-directory.ts';
import type { OpenedStore } from '../store/opened-store.ts';
import type { StoreState } from '../store/store-states.ts';
import { inspectTinkerServer } from '../training/tinker/inspect-server.ts';
import { Failure } from '../util/failures.ts';
import { humanBytes } from '../util/human-bytes.ts';
import { parseNamedValues } from '../util/named-values.ts';
import type { AdminContext } from './admin-context.ts';
import { directoryBytes } from './directory-bytes.ts';
import { examineVllm } from './examine-vllm.ts';
import type { Finding } from './finding.ts';
import { type VllmServerLine, vllmServerLines } from './vllm-server-lines.ts';

type SettingLine = { name: string; value: string; source: string };
export type Examination = {
  findings: Finding[];
  stores: StoreState[];
  vllmServers: VllmServerLine[];
  settings: SettingLine[];
};

export type ExamineLimits = {
  /** How long each check reads stored data. */
  readingMsMax: number;
  /** Ends the examination: checks without a result by then are reported as such. */
  signal: AbortSignal | null;
};
const unhurried: ExamineLimits = { readingMsMax: 20_000, signal: null };

type Examined = Pick<
  AdminContext,
  | 'address'
  | 'blobs'
  | 'config'
  | 'databases'
  | 'health'
  | 'identity'
  | 'models'
  | 'services'
  | 'storeStates'
  | 'vllmServers'
>;

/** Checks every component and reports its state, the problems found and how to fix them, and the configuration. */
export async function examine(context: Examined, limits = unhurried): Promise<Examination> {
  const parts = {
    Server: server,
    'Data directory': directory,
    ClickHouse: clickhouse,
    PostgreSQL: postgres,
    Files: files,
    Models: models,
    ...(context.config.vllmUrl === '' ? {} : { vLLM: vllm }),
    Keys: keys,
    Secrets: secrets,
    ...(context.config.tinkerUrl !== '' && { 'Tinker server': tinkerServer }),
  };
  const late = whenAborted(limits.signal);
  const findings = await Promise.all(
    Object.entries(parts).map(async ([what, look]): Promise<Finding> => {
      try {
        return { what, ...(await Promise.race([late, look(context, limits)])) };
      } catch (error) {
        if (limits.signal?.aborted) return { what, ...(await late) };
        return { what, state: 'wrong', ...explain(error) };
      }
    }),
  );
  // Afterwards: a store that sends nothing while it is idle has noticed by then that its server does not answer.
  const problems = limits.signal?.aborted ? context.health.problems() : await context.health.ask(storeMsMax);
  const vllmServers = vllmServerLines(await context.vllmServers());
  return { findings, stores: context.storeStates(problems), vllmServers, settings: settingLines(context) };
}

const storeMsMax = 2_000;

type Found = Omit<Finding, 'what'>;

function whenAborted(signal: AbortSignal | null): Promise<Found> {
  const advice = 'The server may be busy. Try again later, or run `heddle doctor`, which waits for every result.';
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve({ state: 'warning', found: 'not checked in time', advice }));
  });
}

/** A store on a server names the cause: restarting heddle does not help then. */
function explain(error: unknown): { found: string; advice: string } {
  const isAway = error instanceof Failure && error.kind === 'unavailable';
  const cause = isAway && error.cause instanceof Error ? error.cause : (error as Error);
  return {
    found: cause.message.split('\n', 1)[0]!,
    advice: isAway
      ? 'Check whether its server runs and this machine can reach it. heddle connects again by itself.'
      : 'Restart heddle. If the problem persists, check the log around this time.',
  };
}

type Look = (context: Examined, limits: ExamineLimits) => Promise<Found>;

const server: Look = async ({ config, address }) => {
  if (address === null) return { state: 'good', found: 'not running; start it with `heddle serve`' };
  const answer = await fetch(`${address}/health`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  if (!answer?.ok) {
    const found = `${address} does not respond from this machine (${answer?.status ?? 'no connection'})`;
    if (config.publicUrl)
      return { state: 'warning', found, advice: 'Check HEDDLE_PUBLIC_URL and the proxy behind it.' };
    return {
      state: 'wrong',
      found,
      advice: 'Restart heddle. If the problem persists, check for a firewall or proxy in between.',
    };
  }
  if (isOpenToOthers(config.host) && !config.publicUrl.startsWith('https:')) {
    const advice = 'Put a TLS proxy in front of it and set HEDDLE_PUBLIC_URL to its address.';
    return {
      state: 'warning',
      found: `${address} accepts connections from other machines, and API keys are sent unencrypted`,
      advice,
    };
  }
  return { state: 'good', found: `${address} responds` };
};

const freeBytesMin = 1024 ** 3;

const directory: Look = async ({ config: { data: path, diskReserveBytes, clickhouseUrl, postgresUrl, blobsUrl } }) => {
  const parts = storePaths(path);
  const [{ mode }, disk] = [await stat(path), await statfs(path)];
  const free = disk.bavail * disk.bsize;
  const sizes = await Promise.all([parts.clickhouse, parts.postgres, parts.blobs, parts.models].map(directoryBytes));
  const [traces, records, files, models] = sizes.map(humanBytes);
  const own = [
    ...(clickhouseUrl === '' ? [`traces ${traces}`] : []),
    ...(postgresUrl === '' ? [`records ${records}`] : []),
    ...(blobsUrl === '' ? [`files ${files}`] : []),
    `models ${models}`,
  ];
  const found = `${path}: ${own.join(', ')}; ${humanBytes(free)} free`;
  if (free < freeBytesMin) {
    const limit = `below HEDDLE_DISK_RESERVE_BYTES (${humanBytes(diskReserveBytes)}, or an eighth of a small disk)`;
    return { state: 'wrong', found, advice: `Free some space: ${limit}, new data is rejected.` };
  }
  if (mode & 0o077)
    return { state: 'warning', found: `${found}; accessible to other users`, advice: `chmod 700 ${path}` };
  return { state: 'good', found };
};

const clickhouse: Look = async ({ databases: { clickhouse: opened } }, limits) => {
  const [row] = await opened.store.query<{ version: string; schema: number }>(
    'SELECT version() AS version, (SELECT max(number) FROM schema_migrations) AS schema',
  );
  return checkedData(opened, `${placeOf(opened)}, version ${row?.version}, schema ${row?.schema}`, limits);
};

const postgres: Look = async ({ databases: { postgres: opened } }, limits) => {
  const { db } = opened.store;
  const { schema } = await db
    .selectFrom('schema_migrations')
    .select(({ fn }) => fn.max('number').as('schema'))
    .executeTakeFirstOrThrow();
  const { projects } = await db
    .selectFrom('projects')
    .select(({ fn }) => fn.countAll<string>().as('projects'))
    .executeTakeFirstOrThrow();
  const { version } = opened.figures();
  return checkedData(opened, `${placeOf(opened)}, version ${version}, schema ${schema}, projects: ${projects}`, limits);
};

function placeOf({ kind, address }: OpenedStore<unknown>): string {
  return address === null ? kind : `${kind} at ${address}`;
}

async function checkedData(opened: OpenedStore<unknown>, found: string, limits: ExamineLimits): Promise<Found> {
  if (opened.check === null) return { state: 'good', found };
  const { read, damage } = await opened.check(limits);
  if (damage === null) return { state: 'good', found: `${found}; ${read}, none damaged` };
  return { state: 'wrong', found: `${found}; ${damage.found}`, advice: damage.advice };
}

const files: Look = async ({ blobs, config, databases: { postgres } }, { readingMsMax }) => {
  await blobs.size('heddle-deployment'); // where there are no files, too, a bucket must answer
  const { checked, total, damaged } = await checkFiles(postgres.store, blobs, readingMsMax);
  const place = config.blobsUrl === '' ? '' : `in the bucket ${parseS3Url(config.blobsUrl).bucket}; `;
  if (damaged.length === 0) return { state: 'good', found: `${place}${checked} of ${total} read, none damaged` };
  const found = `${place}${damaged.length} of ${checked} are damaged or missing: ${damaged.slice(0, 3).join(', ')}`;
  return {
    state: 'wrong',
    found,
    advice: 'Damaged files are not served. Upload them again, or restore them from a backup.',
  };
};

const models: Look = async ({ models: store }) => {
  const served = await store.list();
  const pulled = served.filter(({ source }) => source.kind === 'hub' || source.kind === 'local');
  const found = await Promise.all(pulled.map((model) => store.withFiles(model, async (path) => existsSync(path))));
  const missing = pulled.filter((_, i) => !found[i]);
  if (missing.length === 0) return { state: 'good', found: `available: ${served.length}` };
  const names = missing.map(({ name }) => name);
  const advice = `Pull them again, or remove them: heddle models remove ${names[0]}`;
  return { state: 'wrong', found: `the files of ${names.join(', ')} are missing`, advice };
};

const vllm: Look = async ({ vllmServers, config }) => examineVllm(await vllmServers(), config);

const keys: Look = async ({ config, identity }) => {
  const active = (await identity.listKeys()).filter((key) => key.revokedAt === null);
  const found = `active: ${active.length}`;
  if (active.length === 0)
    return { state: 'wrong', found: 'no active API key', advice: 'Create one: heddle keys create' };
  if (config.apiKey !== '' && !(await identity.authenticate({ 'wandb-api-key': config.apiKey }))) {
    const advice =
      'It is used only at the first start. Use an active key from `heddle keys list`, or create one: heddle keys create';
    return { state: 'warning', found: `${found}; HEDDLE_API_KEY is not one of them`, advice };
  }
  return { state: 'good', found };
};

const secrets: Look = async ({ services, config }) => {
  const { count, unreadable } = await services.secrets.check();
  const isOwnKey = config.postgresUrl !== '' && config.secretKey === '';
  const hint = isOwnKey ? '; other processes of this deployment need secret.key of the data directory, too' : '';
  if (unreadable.length === 0) return { state: 'good', found: `${count} set${hint}` };
  const found = `${unreadable.length} of ${count} cannot be decrypted: ${[...new Set(unreadable)].slice(0, 3).join(', ')}`;
  const advice =
    'Restore HEDDLE_SECRET_KEY or the file secret.key of the data directory, or set them again: heddle secrets set';
  return { state: 'wrong', found, advice };
};

const tinkerMsMax = 5_000;
const namesMax = 5;

const tinkerServer: Look = async ({ config, models: store }) => {
  const server = { url: config.tinkerUrl, apiKey: config.tinkerApiKey };
  const asked = await inspectTinkerServer(server, AbortSignal.timeout(tinkerMsMax)).catch((error: Error) => error);
  if (asked instanceof Error) {
    const advice = 'Jobs fail until it responds. Check HEDDLE_TINKER_URL and HEDDLE_TINKER_API_KEY.';
    return { state: 'wrong', found: asked.message, advice };
  }
  const { host, models: trained } = asked;
  const names = trained.slice(0, namesMax).join(', ');
  const found = `${host} trains ${names}${trained.length > namesMax ? ` and ${trained.length - namesMax} more` : ''}`;
  const onServer = parseNamedValues(config.tinkerModels)!;
  const isTrained = ({ name }: { name: string }) => trained.includes(onServer.get(name) ?? name);
  if ((await store.list()).some(isTrained)) return { state: 'good', found };
  const advice = 'It trains none of the models that are served here. Name them with HEDDLE_TINKER_MODELS.';
  return { state: 'warning', found, advice };
};

function settingLines({ config }: Examined): SettingLine[] {
  return (Object.keys(settings) as SettingName[]).map((name) => {
    const value = secretSettings.has(name) && config[name] !== '' ? '(given)' : String(config[name]);
    return { name: environmentName(name), value, source: config.sources[name] ?? 'default' };
  });
}

function isOpenToOthers(host: string): boolean {
  return !/^(localhost|127\.|::1$)/.test(host);
}
