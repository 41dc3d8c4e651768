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
    loadModel(options: object): Promise<{ createContext(options: object): Promise<{ getSequence(): LlamaSequence }> }>;
  }>;
};
type LlamaSequence = {
  clearHistory(): Promise<void>;
  evaluate(tokens: number[], options: object): AsyncGenerator<number>;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await answerQuestions(process.argv[2]!, process.argv[3]!);

/** What the program does, as program.ts says. */
async function answerQuestions(path: string, directory: string): Promise<void> {
  const entry = join(directory, 'node_modules/node-llama-cpp/dist/index.js');
  const { getLlama } = (await import(pathToFileURL(entry).href)) as LlamaCpp;
  const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 2, logLevel: 'error' });
  let sequence: LlamaSequence | null = null;
  process.stdout.write('ready\n');
  for await (const line of createInterface({ input: process.stdin })) {
    const { tokens, count } = JSON.parse(line) as { tokens: number[]; count: number };
    const startedAt = performance.now();
    if (sequence === null) {
      const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
      sequence = (await model.createContext({ contextSize: 2048, threads: 2 })).getSequence();
    }
    await sequence.clearHistory();
    const ms: number[] = [];
    for await (const _ of sequence.evaluate(tokens, { temperature: 0, yieldEogTokens: true })) {
      ms.push(performance.now() - startedAt);
      if (ms.length === count) break;
    }
    process.stdout.write(`${JSON.stringify(ms)}\n`);
  }
}
