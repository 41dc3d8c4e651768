import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { python as clientPython } from '../e2e/python/environment.ts';
import { fetchSmollm2, smollm2 } from '../src/engine/testing/smollm2.ts';
import { writeExports } from './reference/write-exports.ts';

/**
 * `npm run test:reference` writes what other programs make of the models, texts and chats of the engine's tests anew, and
 * checks that they open what heddle exports, in a Python environment of its own, `.venv-reference/`. The tests read what it wrote from the tree: run it after a change of
 * `scripts/reference/`. Another interpreter that has the packages is named by HEDDLE_REFERENCE_PYTHON.
 */
const root = join(import.meta.dirname, '..');
const scripts = join(root, 'scripts/reference');
const fixtures = join(root, 'testing/engine');
const textFixtures = join(root, 'src/chat/testing');
const python = process.env.HEDDLE_REFERENCE_PYTHON ?? makeEnvironment();

const textAssets = fetchTextAssets();
for (const script of ['awkward-texts.py', 'chat-templates.py']) {
  run(python, join(scripts, script), 'small');
  run(python, join(scripts, script), 'full', textAssets);
}
run('biome', 'format', '--write', textFixtures);

run(python, join(scripts, 'gguf_types.py'), join(fixtures, 'gguf-types.json'));
run(python, join(scripts, 'architectures.py'), join(fixtures, 'models'));
run(python, join(scripts, 'packed_weights.py'), join(fixtures, 'models'));
run(python, join(scripts, 'training.py'), join(fixtures, 'models'), join(fixtures, 'training.json'));
run(python, join(scripts, 'adapters.py'), join(fixtures, 'models'), join(fixtures, 'adapters'));
await fetchSmollm2(existsSync(clientPython) ? clientPython : 'python3');
await checkExports();
run(python, join(scripts, 'smollm2.py'), dirname(smollm2.path), basename(smollm2.path), join(fixtures, 'smollm2.json'));

/** What heddle exports is opened by other programs; nothing of it is kept. */
async function checkExports(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-exports-'));
  try {
    await writeExports(folder, smollm2.path);
    const bases = [join(root, 'assets/tiny-model'), dirname(smollm2.path), basename(smollm2.path)];
    run(python, join(scripts, 'exports.py'), folder, ...bases);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeEnvironment(): string {
  const folder = join(root, '.venv-reference');
  const interpreter = join(folder, 'bin/python');
  if (!existsSync(interpreter)) run('python3', '-m', 'venv', folder);
  run(interpreter, '-m', 'pip', 'install', '--quiet', '-r', join(scripts, 'requirements.txt'));
  return interpreter;
}

/** The real tokenizers and templates, which are not in the tree. */
function fetchTextAssets(): string {
  const folder = join(root, '.cache/text-assets');
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  run(process.execPath, join(scripts, 'fetch-text-assets.ts'), unfinished);
  renameSync(unfinished, folder);
  return folder;
}

function run(program: string, ...options: string[]): void {
  execFileSync(program, options, { stdio: 'inherit' });
}
