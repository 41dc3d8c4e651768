import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Params } from '../admin/operations.ts';
import { hubEnvironment } from '../config.ts';
import { humanBytes } from '../util/human-bytes.ts';
import { ask } from './ask.ts';
import { millions } from './models.ts';
import { showProgress } from './progress-line.ts';
import { addSettings, configOf } from './setting-options.ts';

type Options = { name?: string; file?: string; revision?: string; base?: string };

export function addPull(program: Command): void {
  const command = addSettings(
    program
      .command('pull <model>')
      .summary('fetch a model and serve it')
      .description('Downloads a model from the Hugging Face Hub, or copies one from this machine, and serves it.'),
    ['data'],
  )
    .option('--name <text>', 'name to serve the model under; default: its own name')
    .option('--file <path>', 'GGUF file to use if there are several')
    .option('--revision <text>', 'branch, tag or commit of the repository; default: main')
    .option('--base <model>', 'base model of an adapter; default: the one it was trained on')
    .addHelpText('after', help)
    .action(async (model: string, options: Options) => {
      const line = showProgress(process.stderr);
      const { name, file, base } = options;
      const params = { ...wanted(model, options), name, base, file: file && (isLocal(model) ? basename(file) : file) };
      const pulled = await ask(configOf(command), 'models.pull', params, line.show).finally(line.end);
      const { family, parameters, weightType, contextLength, sizeBytes } = pulled;
      process.stderr.write(
        `${pulled.name} is available: ${pulled.base === null ? family : `adapter of ${pulled.base}`}, ${millions(parameters)} parameters in ${weightType}, ` +
          `${contextLength} tokens of context; ${humanBytes(sizeBytes ?? 0)}, ${pulled.how}.\n`,
      );
      if (pulled.chatTemplates.length > 1) {
        process.stderr.write(`Its chat templates: ${pulled.chatTemplates.join(', ')}.\n`);
      }
      if (pulled.toolFormat === 'unknown') process.stderr.write(unknownToolFormat);
    });
}

const unknownToolFormat =
  'Its chat template writes tool calls in a format that heddle does not know: calls stay in the content of answers, and ' +
  'tool_choice "required" is rejected.\n';

const help = `
A model is a Hub repository, a folder, or a .gguf file. Local paths begin with . or / or end in .gguf.
Supported families: llama, mistral, qwen2 and qwen3, as safetensors with a tokenizer.json or as a single GGUF file.
A folder with a LoRA adapter, as peft saves it, is served beside its base model, which must have been pulled.
An interrupted pull resumes when you run the command again.

Environment variables:
  HF_TOKEN     access token for private and gated models
  HF_ENDPOINT  Hub server; default: https://huggingface.co

Examples:
  $ heddle pull Qwen/Qwen3-0.6B
  $ heddle pull bartowski/SmolLM2-135M-Instruct-GGUF:Q4_K_M
  $ heddle pull ./my-model --name helper
  $ heddle pull ./model.gguf
  $ heddle pull ./my-adapter --name helper-tuned --base helper`;

/** Where a model is to come from, as it was typed. */
export function wanted(
  model: string,
  { revision = 'main' }: Options,
): Omit<Params<'models.pull'>, 'name' | 'file' | 'base'> {
  if (isLocal(model)) return { place: { kind: 'local', path: resolve(model) } };
  const [repository = '', quantisation] = model.replace(/^(https?:\/\/)?(huggingface\.co|hf\.co)\//, '').split(':');
  return { place: { kind: 'hub', repository, revision, ...hubEnvironment() }, quantisation };
}

function isLocal(model: string): boolean {
  return /^[./~]|\.gguf$/.test(model);
}
