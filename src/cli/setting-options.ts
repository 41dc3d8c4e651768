import { type Command, Option } from 'commander';
import {
  type Config,
  environmentName,
  flagName,
  readConfig,
  type SettingName,
  secretSettings,
  settings,
} from '../config.ts';

const groupOf = {
  host: 'Network:',
  port: 'Network:',
  peerHost: 'Network:',
  peerPort: 'Network:',
  publicUrl: 'Network:',
  trustedProxies: 'Network:',
  keepAliveSeconds: 'Network:',
  drainDelaySeconds: 'Network:',
  drainSeconds: 'Network:',
  data: 'Storage:',
  diskReserveBytes: 'Storage:',
  blobsUrl: 'Storage:',
  blobsPublicUrl: 'Storage:',
  blobCache: 'Storage:',
  blobCacheMaxBytes: 'Storage:',
  clickhouseUrl: 'Storage:',
  clickhouseInsertsPerSecondMax: 'Storage:',
  clickhouseInsertQuorum: 'Storage:',
  postgresUrl: 'Storage:',
  postgresDirectUrl: 'Storage:',
  postgresConnectionsMax: 'Storage:',
  bodyMaxBytes: 'Request limits:',
  trainingBodyMaxBytes: 'Request limits:',
  artifactFileMaxBytes: 'Request limits:',
  uploadMaxBytes: 'Request limits:',
  signedUrlSeconds: 'Request limits:',
  queryMaxBytes: 'Request limits:',
  dataMaxBytes: 'Request limits:',
  bodyBytesPerSecondMin: 'Request limits:',
  bodySecondsMax: 'Request limits:',
  connectionsMax: 'Request limits:',
  redactCredentials: 'Request limits:',
  queryTimeMaxMs: 'Query limits:',
  queryReadMaxBytes: 'Query limits:',
  queryMemoryMaxBytes: 'Query limits:',
  queryThreadsMax: 'Query limits:',
  queryTrialMs: 'Query limits:',
  queryLongMax: 'Query limits:',
  queryWaitingMax: 'Query limits:',
  queryWaitMaxMs: 'Query limits:',
  catalogueUrl: 'External data:',
  geoDatabase: 'External data:',
  secretKey: 'Model providers:',
  providerHosts: 'Model providers:',
  providerSecondsMax: 'Model providers:',
  providerMaxBytes: 'Model providers:',
  providerAttemptsMax: 'Model providers:',
  defaultModel: 'Models:',
  vllmUrl: 'Models:',
  vllmApiKey: 'Models:',
  vllmModels: 'Models:',
  vllmAdapters: 'Models:',
  vllmPromptLogprobs: 'Models:',
  vllmRequestsMax: 'Models:',
  chatRunningMax: 'Models:',
  chatWaitingMax: 'Models:',
  chatBatchInvariant: 'Models:',
  chatSpeculativeTokensMax: 'Models:',
  chatChoicesMax: 'Models:',
  chatLogprobsMax: 'Models:',
  quantizedArithmetic: 'Models:',
  adaptersMax: 'Models:',
  adapterFolders: 'Models:',
  adapterRankMax: 'Models:',
  modelNiceness: 'Models:',
  monitorCallsPerHourMax: 'Models:',
  trainingNiceness: 'Models:',
  trainingThreads: 'Models:',
  trainingIdleMinutes: 'Models:',
  tinkerUrl: 'Models:',
  tinkerApiKey: 'Models:',
  tinkerModels: 'Models:',
  tinkerStrict: 'Models:',
  tinkerJobs: 'Models:',
  tinkerProjectJobs: 'Models:',
  trainingTokensPerDay: 'Models:',
  trainingSecondsPerDay: 'Models:',
  trainerSamplerKlMax: 'Models:',
  tinkerSessionsMax: 'Models:',
  tinkerSilentSeconds: 'Models:',
  tinkerModelsMax: 'Models:',
  tinkerSequenceTokensMax: 'Models:',
  modelIdleMinutes: 'Models:',
  modelMemoryMaxBytes: 'Models:',
  chatPreparersMax: 'Models:',
  chatPreparationsWaitingMax: 'Models:',
  owner: 'First start:',
  apiKey: 'First start:',
  logLevel: 'Logging:',
  logFormat: 'Logging:',
} satisfies Record<SettingName, string>;

/** Gives a command flags for settings, each with its environment name and default. */
export function addSettings(command: Command, names = Object.keys(groupOf) as SettingName[]): Command {
  for (const name of names) {
    if (secretSettings.has(name)) continue; // every user of the machine could read it in the list of processes
    const option = new Option(`--${flagName(name)} ${placeholder(name)}`, describe(name));
    command.addOption(option.helpGroup(names.length > 4 ? groupOf[name] : 'Options:'));
  }
  return command;
}

/** The configuration of a command: its flags, else the environment, else the defaults. @throws ConfigError */
export function configOf(command: Command): Config {
  const given = command.opts<Record<string, unknown>>();
  const flags = Object.entries(given).filter(([name]) => name in settings) as [string, string][];
  return readConfig(Object.fromEntries(flags));
}

export function describe(name: SettingName): string {
  const { help, expected, default: fallback } = settings[name];
  const choices = expected.startsWith('one of') && !help.includes(':') ? ` O${expected.slice(1)}.` : '';
  const shown = fallback === '' ? '' : `, default ${fallback}`;
  return `${help}${choices} [${environmentName(name)}${shown}]`;
}

function placeholder(name: SettingName): string {
  const { expected } = settings[name];
  if (expected.startsWith('a whole number')) return '<number>';
  if (expected === 'true or false') return '<true|false>';
  return '<text>';
}
