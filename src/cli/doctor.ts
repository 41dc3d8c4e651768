import type { Command } from 'commander';
import { hasData } from '../admin/client.ts';
import type { Examination, Finding } from '../admin/doctor.ts';
import type { Config } from '../config.ts';
import { DataDirectoryError } from '../store/data-directory.ts';
import { describeDamage } from '../store/store-unusable.ts';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addDoctor(program: Command): void {
  const doctor = program
    .command('doctor')
    .summary('say what is configured, what is stored, and what is wrong')
    .description(
      'Looks at every part and says what is wrong and what to do. Works beside a running server and without one.',
    );
  addSettings(doctor, ['data'])
    .addHelpText('after', '\nThe exit code is 1 when something is wrong, 0 otherwise.')
    .action(async () => {
      const examination = await examineFrom(configOf(doctor));
      process.stdout.write(report(examination));
      process.exitCode = examination.findings.some((each) => each.state === 'wrong') ? 1 : 0;
    });
}

async function examineFrom(config: Config): Promise<Examination> {
  if (!hasData(config)) {
    const found = `no data of heddle in ${config.data} yet`;
    const advice = '`heddle serve` makes it; --data or HEDDLE_DATA names another directory.';
    return { findings: [{ what: 'Data directory', state: 'warning', found, advice }], settings: [] };
  }
  try {
    return await ask(config, 'doctor', {});
  } catch (error) {
    if (error instanceof DataDirectoryError && error.reason === 'hanging') throw error;
    const { message } = error as Error;
    return {
      findings: [{ what: 'Data directory', state: 'wrong', found: describeDamage(error) ?? message }],
      settings: [],
    };
  }
}

const signs = { good: '✓', warning: '!', wrong: '✗' };

/** The examination for people. */
function report({ findings, settings }: Examination): string {
  const width = Math.max(...findings.map((each) => each.what.length));
  const line = ({ what, state, found, advice }: Finding) =>
    `${signs[state]} ${what.padEnd(width)}  ${found}\n${advice ? `  ${' '.repeat(width)}  → ${advice}\n` : ''}`;
  const rows = settings.map(({ name, value, source }) => [name, value || '–', source]);
  const configured = rows.length > 0 ? `\n${table(['SETTING', 'VALUE', 'FROM'], rows)}` : '';
  const wrong = findings.filter((each) => each.state === 'wrong').length;
  const verdict = wrong === 0 ? 'Nothing is wrong.' : `${wrong} of ${findings.length} parts need attention: see →.`;
  return `${findings.map(line).join('')}${configured}\n${verdict}\n`;
}
