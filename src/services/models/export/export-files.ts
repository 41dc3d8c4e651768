import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { textOfFolder } from '../../../chat/tokenizer/from-folder.ts';
import { generationConfigOf, ggufGenerationValues } from '../../../chat/tokenizer/generation-config.ts';
import { textFilesOfGguf } from '../../../chat/tokenizer/to-folder.ts';
import { ggufTokenizerValues } from '../../../chat/tokenizer/to-gguf.ts';
import type { Adapter } from '../../../engine/adapters/adapter.ts';
import { configFile, weightsFile } from '../../../engine/adapters/peft/names.ts';
import { readPeftFolder } from '../../../engine/adapters/peft/read.ts';
import { tensorsForGguf, tensorsForSafetensors, tensorsOfGguf } from '../../../engine/export/export-plan.ts';
import { readGgufMetadata } from '../../../engine/models/gguf/metadata.ts';
import { ggufValue, type TypedValues } from '../../../engine/models/gguf/values.ts';
import { writeGguf } from '../../../engine/models/gguf/write.ts';
import { ggufConfigValues } from '../../../engine/models/gguf/write-config.ts';
import { openSource } from '../../../engine/models/open-source.ts';
import { writeSafetensors } from '../../../engine/models/safetensors/write.ts';
import { huggingFaceConfig } from '../../../engine/models/safetensors/write-config.ts';
import { type StreamedTensor, tensorBytes } from '../../../engine/models/streamed-tensor.ts';
import { additionalTemplates, companions } from '../../../engine/registry/choose-files.ts';
import { parsePlain } from '../../../util/json/parse.ts';

export type ExportFormat = 'peft' | 'safetensors' | 'gguf';

/** What an export is made of. */
export type ExportSource = {
  /** The name of the model in the files. */
  title: string;
  /** Base model: a Hugging Face folder, or a GGUF file. */
  basePath: string;
  /** The name by which PEFT loads the base model; null for the one in the adapter's files. */
  baseName: string | null;
  adapterFolder: string | null;
};

/** A file of an export, and how it is written. */
export type ExportedFile = {
  name: string;
  sizeBytes: number;
  /** Yields the bytes of each piece. */
  write(path: string): Iterable<number>;
};

/** The files of an export, before any is written. @throws UnsupportedModelError, Failure, UnsoundFileError */
export function planExport(format: ExportFormat, source: ExportSource): Promise<ExportedFile[]> {
  switch (format) {
    case 'peft':
      return Promise.resolve(peftFiles(source));
    case 'safetensors':
      return isFolder(source.basePath) ? foldersFolder(source) : ggufsFolder(source);
    case 'gguf':
      return isFolder(source.basePath) ? foldersGguf(source) : ggufsGguf(source);
    default:
      throw new Error(`no files for ${format satisfies never}`);
  }
}

function peftFiles({ adapterFolder, baseName }: ExportSource): ExportedFile[] {
  const config = parsePlain(readFileSync(join(adapterFolder!, configFile), 'utf8')) as Record<string, unknown>;
  if (baseName !== null) config.base_model_name_or_path = baseName;
  return [jsonFile(configFile, config), copiedFile(join(adapterFolder!, weightsFile), weightsFile)];
}

/** A folder of a model that is a folder. */
async function foldersFolder({ basePath, adapterFolder }: ExportSource): Promise<ExportedFile[]> {
  const source = await openSource(basePath);
  const adapter = readAdapter(adapterFolder);
  const config = parsePlain(readFileSync(join(basePath, 'config.json'), 'utf8')) as Record<string, unknown>;
  const isMerged = adapter !== null && adapter.modules.size > 0;
  const isWidened = isMerged || config.quantization_config != null;
  const others = join(basePath, additionalTemplates);
  const templates = (existsSync(others) ? readdirSync(others) : []).map((name) => `${additionalTemplates}/${name}`);
  const text = [...companions, ...templates].filter((name) => name !== 'config.json');
  return [
    jsonFile('config.json', isWidened ? inFloat32(config) : config),
    ...text.filter((name) => existsSync(join(basePath, name))).map((name) => copiedFile(join(basePath, name), name)),
    safetensorsFile(tensorsForSafetensors(source, adapter)),
  ];
}

/** Both names of the field: `torch_dtype` is the older one. */
function inFloat32({
  torch_dtype: _,
  quantization_config: __,
  ...config
}: Record<string, unknown>): Record<string, unknown> {
  return { ...config, dtype: 'float32' };
}

/** A folder of a model that is a GGUF file. */
async function ggufsFolder({ basePath, adapterFolder }: ExportSource): Promise<ExportedFile[]> {
  const source = await openSource(basePath);
  const { values } = await readGgufMetadata({ path: basePath });
  const { files, tokens } = textFilesOfGguf(values, source.config.contextMax);
  return [
    jsonFile('config.json', huggingFaceConfig(source.config, tokens)),
    ...Object.entries(files).map(([name, content]) => jsonFile(name, content)),
    safetensorsFile(tensorsForSafetensors(source, readAdapter(adapterFolder))),
  ];
}

/** A GGUF file of a model that is a folder. */
async function foldersGguf({ title, basePath, adapterFolder }: ExportSource): Promise<ExportedFile[]> {
  const source = await openSource(basePath);
  const { text, json } = await textOfFolder(basePath);
  const values = {
    ...ggufConfigValues(source.config),
    'general.name': ggufValue.text(title),
    ...ggufTokenizerValues(json, text, source.config.vocabSize),
    ...ggufGenerationValues(await generationConfigOf(basePath), text.eosId),
  };
  return [ggufFile(title, values, tensorsForGguf(source, readAdapter(adapterFolder)))];
}

/** A GGUF file of a model that is a GGUF file: everything but the changed weights is copied. */
async function ggufsGguf({ title, basePath, adapterFolder }: ExportSource): Promise<ExportedFile[]> {
  const source = await openSource(basePath);
  const adapter = readAdapter(adapterFolder);
  const metadata = await readGgufMetadata({ path: basePath });
  const { typedMetadata } = await gguf(basePath, { allowLocalFile: true, typedMetadata: true });
  const { version: _version, tensor_count: _tensors, kv_count: _pairs, ...values } = typedMetadata;
  const changed: TypedValues =
    adapter === null ? {} : { 'general.name': ggufValue.text(title), 'general.file_type': allFloat32 };
  return [
    ggufFile(title, { ...(values as TypedValues), ...changed }, tensorsOfGguf(basePath, metadata, source, adapter)),
  ];
}

const allFloat32 = ggufValue.count(0);

function readAdapter(folder: string | null): Adapter | null {
  return folder === null ? null : readPeftFolder(folder);
}

function jsonFile(name: string, content: object): ExportedFile {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  const sizeBytes = Buffer.byteLength(text);
  function* write(path: string) {
    writeFileSync(path, text, { flush: true });
    yield sizeBytes;
  }
  return { name, sizeBytes, write };
}

function copiedFile(from: string, name: string): ExportedFile {
  const { size } = statSync(from);
  return {
    name,
    sizeBytes: size,
    *write(path) {
      mkdirSync(dirname(path), { recursive: true });
      copyFileSync(from, path);
      syncFile(path);
      yield size;
    },
  };
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

function safetensorsFile(tensors: StreamedTensor[]): ExportedFile {
  return {
    name: 'model.safetensors',
    sizeBytes: sizeOf(tensors),
    write: (path) => writeSafetensors(path, tensors),
  };
}

function ggufFile(title: string, values: TypedValues, tensors: StreamedTensor[]): ExportedFile {
  return {
    name: `${title}.gguf`,
    sizeBytes: sizeOf(tensors),
    write: (path) => writeGguf(path, values, tensors),
  };
}

function sizeOf(tensors: StreamedTensor[]): number {
  return tensors.reduce((sum, tensor) => sum + tensorBytes(tensor), 0);
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}
