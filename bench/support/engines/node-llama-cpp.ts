import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { directoryOf, installOnce, run } from '../peers/install.ts';
import type { Engine } from './engine.ts';
import { startProgram } from './program.ts';

const version = '3.22.1';

/** llama.cpp in a process of Node.js, from the binaries that npm brings. Its caches are f16, as it comes. */
export const nodeLlamaCpp: Engine = {
  name: 'node-llama-cpp',
  // Of the optional packages for each platform and kind of GPU, the one that is named is enough.
  prepare: () =>
    installOnce('node-llama-cpp', version, (directory) => {
      const options = ['--prefix', directory, '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
      const binaries = `@node-llama-cpp/${process.platform}-${process.arch}`;
      run('npm', 'install', ...options, `node-llama-cpp@${version}`, `${binaries}@${version}`);
    }),
  start: (model) =>
    startProgram(process.execPath, fileURLToPath(import.meta.url), model, directoryOf('node-llama-cpp')),
};

/** As much of its interface as is used here. */
type LlamaCpp = {
  getLlama(options: object): Promise<{
    loadModel(options: object): Promise<{ createContext(options: object): Promise<LlamaContext> }>;
  }>;
};
type LlamaContext = { getSequence(): LlamaSequence; dispose(): Promise<void> };
type LlamaSequence = {
  evaluate(tokens: number[], options: object): AsyncGenerator<number>;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await answerQuestions(process.argv[2]!, process.argv[3]!);

/** What the program does, as program.ts says. */
async function answerQuestions(path: string, directory: string): Promise<void> {
  const entry = join(directory, 'node_modules/node-llama-cpp/dist/index.js');
  const { getLlama } = (await import(pathToFileURL(entry).href)) as LlamaCpp;
  const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 2, logLevel: 'error' });
  let model: Awaited<ReturnType<typeof llama.loadModel>> | null = null;
  process.stdout.write('ready\n');
  for await (const line of createInterface({ input: process.stdin })) {
    const questions = JSON.parse(line) as { tokens: number[]; count: number }[];
    const startedAt = performance.now();
    model ??= await llama.loadModel({ modelPath: path, gpuLayers: 0 });
    const context = await model.createContext({ contextSize: 2048, sequences: questions.length, threads: 2 });
    const answered = questions.map(async ({ tokens, count }) => {
      const ms: number[] = [];
      for await (const _ of context.getSequence().evaluate(tokens, { temperature: 0, yieldEogTokens: true })) {
        ms.push(performance.now() - startedAt);
        if (ms.length === count) break;
      }
      return ms;
    });
    process.stdout.write(`${JSON.stringify(await Promise.all(answered))}\n`);
    await context.dispose();
  }
}
