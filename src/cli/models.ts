import type { Command } from 'commander';
import { humanBytes } from '../util/human-bytes.ts';
import { ask } from './ask.ts';
import { addExport } from './export.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addModels(program: Command): void {
  const models = program
    .command('models')
    .summary('list, export and remove models')
    .description(
      'Lists, exports and removes models. Add models with `heddle pull`. Works with or without a running server.',
    );
  addExport(models);

  const list = addSettings(models.command('list', { isDefault: true }).description('Lists the available models.'), [
    'data',
  ]).action(async () => {
    const found = await ask(configOf(list), 'models.list', {});
    const rows = found.map((model) => [
      model.name,
      model.base === null ? model.family : `adapter of ${model.base}`,
      millions(model.parameters),
      model.weightType,
      memory(model),
      String(model.contextLength),
      model.toolFormat ?? '',
      model.chatTemplates.join(', '),
      model.sizeBytes === null ? '' : humanBytes(model.sizeBytes),
      model.pulledAt.slice(0, 10),
      model.source,
    ]);
    const heading = [
      'NAME',
      'FAMILY',
      'PARAMETERS',
      'WEIGHTS',
      'MEMORY',
      'CONTEXT',
      'TOOL CALLS',
      'TEMPLATES',
      'SIZE',
      'ADDED',
      'SOURCE',
    ];
    process.stdout.write(table(heading, rows));
  });

  const remove = addSettings(models.command('remove <name>').description('Removes a model and deletes its files.'), [
    'data',
  ]).action(async (name: string) => {
    const removed = await ask(configOf(remove), 'models.remove', { name });
    process.stderr.write(`Removed ${removed.name}; freed ${humanBytes(removed.sizeBytes ?? 0)}.\n`);
  });
}

/** A number of parameters for people: `135 M`, `7.2 B`. */
export function millions(count: number | null): string {
  if (count === null) return '';
  if (count >= 1e9) return `${(count / 1e9).toFixed(1)} B`;
  return `${count >= 1e7 ? Math.round(count / 1e6) : (count / 1e6).toFixed(1)} M`;
}

/** What the weights take, and how much that is for each parameter: 4 bytes where they are widened to f32. */
function memory({ memoryBytes, parameters }: { memoryBytes: number | null; parameters: number | null }): string {
  if (memoryBytes === null || parameters === null) return '';
  return `${humanBytes(memoryBytes)} (${(memoryBytes / parameters).toFixed(1)} B/param)`;
}
