import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withoutSettings } from '../../../testing/heddle-process.ts';
import { installPackage, packageProgram } from '../peers/python.ts';
import type { Work, WorkDone } from './work.ts';

export function installTorch(): void {
  const others = ['torch==2.13.0', 'transformers==5.23.0', 'gguf==0.19.0', 'accelerate==1.15.0', 'numpy==2.4.6'];
  installPackage('peft', '0.21.2', ...others);
}

export function trainWithTorch({ path, rows, length, steps }: Work): WorkDone {
  const script = fileURLToPath(new URL('torch_train.py', import.meta.url));
  const output = execFileSync(packageProgram('peft', 'python'), [script, path, `${rows}`, `${length}`, `${steps}`], {
    env: { ...withoutSettings(process.env), OMP_NUM_THREADS: '2' },
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  return JSON.parse(output.trim().split('\n').at(-1)!) as WorkDone;
}
