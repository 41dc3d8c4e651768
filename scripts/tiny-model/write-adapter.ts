import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePeftFolder } from '../../src/engine/adapters/peft/write.ts';
import { readConfig } from '../../src/engine/models/open-source.ts';
import { randomAdapter } from '../../src/engine/testing/random-adapter.ts';

/** `node scripts/tiny-model/write-adapter.ts` writes the adapter of `heddle/tiny` that tests load, of random weights. */
const root = join(import.meta.dirname, '../..');
const folder = join(root, 'testing/tiny-model/adapter');
rmSync(folder, { recursive: true, force: true });
const adapter = randomAdapter(await readConfig(join(root, 'assets/tiny-model')), { rank: 1, size: 0.3 });
writePeftFolder(folder, { ...adapter, baseModel: 'heddle/tiny' });
