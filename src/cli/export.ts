import { relative, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { OperationAnswer, Params } from '../admin/operations.ts';
import { humanBytes } from '../util/human-bytes.ts';
import { ask } from './ask.ts';
import { showProgress } from './progress-line.ts';
import { addSettings, configOf } from './setting-options.ts';

type Options = { to: string; format: Params<'models.export'>['format']; force?: boolean };

/** Adds `export` to the command `models`. */
export function addExport(models: Command): void {
  const command = addSettings(
    models
      .command('export <name>')
      .summary('export a trained model, an adapter or a model')
      .description('Exports a trained model, an adapter or a model in a format that other programs can open.'),
    ['data'],
  )
    .requiredOption('--to <path>', 'folder to create; with --format gguf also a file that ends in .gguf')
    .addOption(new Option('--format <name>', 'what to write').choices(['peft', 'safetensors', 'gguf']).default('peft'))
    .option('--force', 'replace an earlier export')
    .addHelpText('after', help)
    .action(async (name: string, { to, format, force = false }: Options) => {
      const line = showProgress(process.stderr);
      const order = { name, format, target: resolve(to), replaces: force };
      const exported = await ask(configOf(command), 'models.export', order, line.show).finally(line.end);
      process.stderr.write(`${described(name, format, exported)}\n`);
    });
}

function described(name: string, format: Options['format'], exported: OperationAnswer<'models.export'>): string {
  const { base, step, files, sizeBytes, target } = exported;
  const what = step === null || name.endsWith(`:step${step}`) ? name : `${name} (step ${step})`;
  const over = base === name ? '' : `, ${format === 'peft' ? 'an adapter of' : 'merged into'} ${base},`;
  const count = files.length === 1 ? '' : `${files.length} files, `;
  return `Wrote ${what}${over} to ${relative('', target) || target} (${count}${humanBytes(sizeBytes)}).`;
}

const help = `
NAME is a trained model (project/name, entity/project/name or wandb-artifact:///entity/project/name, with
:stepN for a checkpoint other than the latest), or a model or adapter listed by \`heddle models\`.

Formats:
  peft         the adapter as a folder that peft, transformers and vLLM load; without the optimizer state
  safetensors  the model with the adapter merged into it, as a folder that transformers opens
  gguf         the merged model as one file that llama.cpp opens

Merged weights are f32; weights that the adapter does not change keep the type of the base model.
Files get their final names once all of them are complete. If the server is running, it writes them.

Examples:
  $ heddle models export my-project/agent --to ./agent
  $ heddle models export my-project/agent:step3 --to ./agent-merged --format safetensors
  $ heddle models export my-project/agent --to ./agent.gguf --format gguf`;
