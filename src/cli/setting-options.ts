import { type Command, Option } from 'commander';
import { type Config, environmentName, flagName, readConfig, type SettingName, settings } from '../config.ts';

/** A key on the command line could be read by every user of the machine in the list of processes. */
const withoutFlag: SettingName[] = ['apiKey'];

const groupOf = {
  host: 'Where it listens:',
  port: 'Where it listens:',
  publicUrl: 'Where it listens:',
  trustedProxies: 'Where it listens:',
  data: 'What it keeps:',
  diskReserveBytes: 'What it keeps:',
  bodyMaxBytes: 'What it accepts:',
  queryMaxBytes: 'What it accepts:',
  dataMaxBytes: 'What it accepts:',
  bodyBytesPerSecondMin: 'What it accepts:',
  bodySecondsMax: 'What it accepts:',
  connectionsMax: 'What it accepts:',
  redactCredentials: 'What it accepts:',
  queryTimeMaxMs: 'What a query may use:',
  queryReadMaxBytes: 'What a query may use:',
  queryMemoryMaxBytes: 'What a query may use:',
  queryThreadsMax: 'What a query may use:',
  queryTrialMs: 'What a query may use:',
  queryLongMax: 'What a query may use:',
  queryWaitingMax: 'What a query may use:',
  queryWaitMaxMs: 'What a query may use:',
  catalogueUrl: 'What it draws on:',
  geoDatabase: 'What it draws on:',
  defaultModel: 'The models:',
  chatRunningMax: 'The models:',
  chatWaitingMax: 'The models:',
  chatChoicesMax: 'The models:',
  chatLogprobsMax: 'The models:',
  modelNiceness: 'The models:',
  modelIdleMinutes: 'The models:',
  modelMemoryMaxBytes: 'The models:',
  chatPreparersMax: 'The models:',
  chatPreparationsWaitingMax: 'The models:',
  owner: 'The first start:',
  apiKey: 'The first start:',
  logLevel: 'The log:',
  logFormat: 'The log:',
} satisfies Record<SettingName, string>;

/** Gives a command flags for settings, each with its environment name and default. */
export function addSettings(command: Command, names = Object.keys(groupOf) as SettingName[]): Command {
  for (const name of names) {
    if (withoutFlag.includes(name)) continue;
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
