import type { Command } from 'commander';
import { hasData } from '../admin/client.ts';
import type { Examination } from '../admin/doctor.ts';
import type { Finding } from '../admin/finding.ts';
import { type Config, ConfigError } from '../config.ts';
import { DataDirectoryError } from '../store/data-directory.ts';
import { describeDamage } from '../store/store-unusable.ts';
import { humanBytes } from '../util/human-bytes.ts';
import { humanMs } from '../util/human-ms.ts';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addDoctor(program: Command): void {
  const doctor = program
    .command('doctor')
    .summary('check the installation and show its configuration')
    .description(
      'Checks every component, and says what is wrong and how to fix it. Works with or without a running server.',
    );
  addSettings(doctor, ['data'])
    .addHelpText('after', '\nThe exit code is 1 if something is wrong, and 0 otherwise.')
    .action(async () => {
      const examination = await examineFrom(configOf(doctor));
      process.stdout.write(report(examination));
      process.exitCode = examination.findings.some((each) => each.state === 'wrong') ? 1 : 0;
    });
}

async function examineFrom(config: Config): Promise<Examination> {
  if (!hasData(config)) {
    const found = `${config.data} does not contain heddle data yet`;
    const advice = 'Run `heddle serve` to create it, or choose another directory with --data or HEDDLE_DATA.';
    return { findings: [{ what: 'Data directory', state: 'warning', found, advice }], ...unknown };
  }
  try {
    return await ask(config, 'doctor', {});
  } catch (error) {
    if (error instanceof DataDirectoryError && error.reason === 'hanging') throw error;
    const { message } = error as Error;
    const what = error instanceof ConfigError ? 'Settings' : 'Data directory';
    return {
      findings: [{ what, state: 'wrong', found: describeDamage(error) ?? message }],
      ...unknown,
    };
  }
}

const unknown = { stores: [], vllmServers: [], settings: [] };

const signs = { good: '✓', warning: '!', wrong: '✗' };

/** The examination for people. */
function report({ findings, stores, settings }: Examination): string {
  const width = Math.max(...findings.map((each) => each.what.length));
  const line = ({ what, state, found, advice }: Finding) =>
    `${signs[state]} ${what.padEnd(width)}  ${found}\n${advice ? `  ${' '.repeat(width)}  → ${advice}\n` : ''}`;
  const rows = settings.map(({ name, value, source }) => [name, value || '–', source]);
  const configured = rows.length > 0 ? `\n${table(['SETTING', 'VALUE', 'FROM'], rows)}` : '';
  const wrong = findings.filter((each) => each.state === 'wrong').length;
  const verdict = wrong === 0 ? 'No problems found.' : `${wrong} of ${findings.length} checks failed.`;
  return `${findings.map(line).join('')}${storesTable(stores)}${configured}\n${verdict}\n`;
}

function storesTable(stores: Examination['stores']): string {
  if (stores.length === 0) return '';
  const shown = (value: number | null, unit: (value: number) => string) => (value === null ? '–' : unit(value));
  const rows = stores.map(({ name, kind, version, latencySeconds, freeBytes, usedBytes }) => [
    ...[name, kind, version ?? '–'],
    shown(latencySeconds, (seconds) => humanMs(1000 * seconds)),
    ...[freeBytes, usedBytes].map((bytes) => shown(bytes, humanBytes)),
  ]);
  return `\n${table(['STORE', 'KIND', 'VERSION', 'LATENCY', 'FREE', 'USED'], rows)}`;
}
