import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Params } from '../admin/operations.ts';
import { hubEnvironment } from '../config.ts';
import { humanBytes } from '../util/human-bytes.ts';
import { ask } from './ask.ts';
import { millions } from './models.ts';
import { showProgress } from './progress-line.ts';
import { addSettings, configOf } from './setting-options.ts';

type Options = { name?: string; file?: string; revision?: string };

export function addPull(program: Command): void {
  const command = addSettings(
    program
      .command('pull <model>')
      .summary('fetch a model and serve it')
      .description('Fetches a model from the Hugging Face hub, or takes one from this machine, and serves it.'),
    ['data'],
  )
    .option('--name <text>', 'what the model is served by; default: its own name')
    .option('--file <path>', 'the GGUF file to take, where there are several')
    .option('--revision <text>', 'a branch, tag or commit of the repository; default: main')
    .addHelpText('after', help)
    .action(async (model: string, options: Options) => {
      const line = showProgress(process.stderr);
      const { name, file } = options;
      const params = { ...wanted(model, options), name, file: file && (isLocal(model) ? basename(file) : file) };
      const pulled = await ask(configOf(command), 'models.pull', params, line.show).finally(line.end);
      const { family, parameters, weightType, contextLength, sizeBytes } = pulled;
      process.stderr.write(
        `${pulled.name} is served: ${family}, ${millions(parameters)} parameters in ${weightType}, ` +
          `${contextLength} tokens of context; ${humanBytes(sizeBytes)}, ${pulled.how}.\n`,
      );
    });
}

const help = `
A model is a repository of the hub, a folder, or a .gguf file. Paths on this machine begin with . or / or end in .gguf.
Taken are the families llama, mistral, qwen2 and qwen3: safetensors with a tokenizer.json, or one GGUF file.
A pull that was broken off goes on where it was when the command is run again.

From the environment:
  HF_TOKEN     for private and gated models
  HF_ENDPOINT  another server in place of https://huggingface.co

Examples:
  $ heddle pull Qwen/Qwen3-0.6B
  $ heddle pull bartowski/SmolLM2-135M-Instruct-GGUF:Q4_K_M
  $ heddle pull ./my-model --name helper
  $ heddle pull ./model.gguf`;

/** Where a model is to come from, as it was typed. */
export function wanted(model: string, { revision = 'main' }: Options): Omit<Params<'models.pull'>, 'name' | 'file'> {
  if (isLocal(model)) return { place: { kind: 'local', path: resolve(model) } };
  const [repository = '', quantisation] = model.replace(/^(https?:\/\/)?(huggingface\.co|hf\.co)\//, '').split(':');
  return { place: { kind: 'hub', repository, revision, ...hubEnvironment() }, quantisation };
}

function isLocal(model: string): boolean {
  return /^[./~]|\.gguf$/.test(model);
}
