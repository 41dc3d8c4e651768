import type { Command } from 'commander';
import { ask } from './ask.ts';
import { addSettings, configOf } from './setting-options.ts';
import { table } from './table.ts';

export function addRegistry(program: Command): void {
  const registry = program
    .command('registry')
    .summary('list the versions linked to registries')
    .description(
      'Lists the object versions that clients linked to registries, for example with `weave.link_prompt_to_registry`.',
    );

  const list = addSettings(
    registry.command('list').description('Lists all collections with their versions and aliases.'),
    ['data'],
  ).action(async () => {
    const found = await ask(configOf(list), 'registry.list', {});
    const rows = found.map((line) => [
      `${line.entity}/${line.registry}/${line.collection}`,
      `v${line.versionIndex}`,
      line.aliases.join(', '),
      line.linkedAt.slice(0, 10),
      line.ref,
    ]);
    process.stdout.write(table(['COLLECTION', 'VERSION', 'ALIASES', 'LINKED', 'OBJECT'], rows));
  });
}
