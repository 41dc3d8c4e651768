import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writePeftFolder } from '../../src/engine/adapters/peft/write.ts';
import { readConfig } from '../../src/engine/models/open-source.ts';
import { randomAdapter } from '../../src/engine/testing/random-adapter.ts';
import { type ExportFormat, type ExportSource, planExport } from '../../src/services/models/export/export-files.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Writes what `heddle models export` makes of two models and their adapters, for `exports.py`: `tiny/` is made of a folder,
 * `smollm2/` of a quantised GGUF file. In each are `peft/`, `safetensors/` and `gguf/model.gguf`.
 */
export async function writeExports(folder: string, smollm2: string): Promise<void> {
  const tiny = { basePath: join(root, 'assets/tiny-model'), adapterFolder: join(root, 'testing/tiny-model/adapter') };
  await writeAll(join(folder, 'tiny'), tiny);
  const adapterFolder = join(folder, 'smollm2-adapter');
  const adapter = randomAdapter(await readConfig(smollm2), { rank: 4, size: 0.02 });
  writePeftFolder(adapterFolder, { ...adapter, baseModel: 'smollm2' });
  await writeAll(join(folder, 'smollm2'), { basePath: smollm2, adapterFolder });
}

async function writeAll(folder: string, source: Pick<ExportSource, 'basePath' | 'adapterFolder'>): Promise<void> {
  const formats: ExportFormat[] = ['peft', 'safetensors', 'gguf'];
  for (const format of formats) {
    const files = await planExport(format, { ...source, title: 'model', baseName: null });
    mkdirSync(join(folder, format), { recursive: true });
    for (const { name, write } of files) for (const _bytes of write(join(folder, format, name)));
  }
}
