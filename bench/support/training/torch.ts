import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withoutSettings } from '../../../testing/heddle-process.ts';
import { installPackage, packageProgram } from '../peers/python.ts';
import type { SftDone, SftWork } from './heddle-sft.ts';
import type { Work, WorkDone } from './work.ts';

export function installTorch(): void {
  const others = ['torch==2.13.0', 'transformers==5.23.0', 'gguf==0.19.0', 'accelerate==1.15.0', 'numpy==2.4.6'];
  installPackage('peft', '0.21.2', ...others);
}

export function trainWithTorch({ path, rows, length, steps }: Work): WorkDone {
  return runPython('torch_train.py', path, `${rows}`, `${length}`, `${steps}`) as WorkDone;
}

export function tuneWithTorch({ batches, ...work }: SftWork): SftDone {
  const numbers = batches.map((batch) =>
    batch.map(({ tokens, isTrained }) => ({ tokens: [...tokens], isTrained: [...isTrained] })),
  );
  const file = `${work.adapter}.work.json`;
  writeFileSync(file, JSON.stringify({ ...work, batches: numbers }));
  return runPython('torch_sft.py', file) as SftDone;
}

/** @returns the JSON that the script prints last */
function runPython(script: string, ...values: string[]): unknown {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const output = execFileSync(packageProgram('peft', 'python'), [path, ...values], {
    env: { ...withoutSettings(process.env), OMP_NUM_THREADS: '2' },
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  return JSON.parse(output.trim().split('\n').at(-1)!);
}
