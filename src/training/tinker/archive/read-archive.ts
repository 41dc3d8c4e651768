import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Adapter, adapterScale } from '../../../engine/adapters/adapter.ts';
import { configFile, weightsFile } from '../../../engine/adapters/peft/names.ts';
import { readPeftFiles } from '../../../engine/adapters/peft/read.ts';
import { Failure } from '../../../util/failures.ts';
import { answerBytesMax } from '../client/http.ts';
import { untar } from './untar.ts';

const unzip = promisify(gunzip);

/** The adapter in an archive of a Tinker server: a PEFT folder as `tar.gz`. @throws Failure */
export async function readArchive(bytes: Uint8Array): Promise<Adapter> {
  const files = await filesOf(bytes);
  const [config, weights] = [configFile, weightsFile].map((name) => files.get(name));
  if (!config || !weights) {
    throw new Failure('unavailable', `The archive of the Tinker server has no ${config ? weightsFile : configFile}.`);
  }
  return readPeftFiles({ config: Buffer.from(config).toString(), weights });
}

async function filesOf(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  try {
    return untar(await unzip(bytes, { maxOutputLength: answerBytesMax }));
  } catch (cause) {
    throw new Failure('unavailable', 'The archive of the Tinker server is damaged.', {}, { cause });
  }
}

/** The same function with another alpha: servers choose their own. */
export function withAlpha(adapter: Adapter, alpha: number): Adapter {
  const other = { ...adapter, alpha, rslora: false };
  const factor = adapterScale(adapter) / adapterScale(other);
  if (factor === 1) return other;
  const modules = [...adapter.modules].map(
    ([name, { a, b }]) => [name, { a, b: b.map((each) => factor * each) }] as const,
  );
  return { ...other, modules: new Map(modules) };
}
