import { parseGGUFQuantLabel } from '@huggingface/gguf';
import { invalidInput, unacceptable } from '../../util/failures.ts';
import { humanBytes } from '../../util/human-bytes.ts';

/** Which weights to use if a source has several: a file, or a quantisation such as `Q4_K_M`. */
export type WeightsChoice = { file?: string; quantisation?: string };
type Listed = { path: string; sizeBytes: number };

/** Other files of a model, for tokenization and sampling. */
export const companions = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
  'chat_template.jinja',
  'chat_template.json',
];

/** A folder with more chat templates, named by file. */
export const additionalTemplates = 'additional_chat_templates';

export function isCompanion(path: string): boolean {
  return companions.includes(path) || isAdditionalTemplate(path);
}

export function isAdditionalTemplate(path: string): boolean {
  const [folder, name, ...more] = path.split('/');
  return folder === additionalTemplates && name !== undefined && name.endsWith('.jinja') && more.length === 0;
}

/** Chooses the files of a model from those of a repository or folder. */
export function chooseFiles<File extends Listed>(files: File[], choice: WeightsChoice, source: string): File[] {
  if (choice.file !== undefined) return [namedFile(files, choice.file, source)];
  if (choice.quantisation !== undefined) return [quantised(files, choice.quantisation, source)];
  const weights = safetensors(files);
  if (weights.length > 0) return [...files.filter(({ path }) => isCompanion(path)), ...weights];
  return [onlyGguf(files, source)];
}

function namedFile<File extends Listed>(files: File[], path: string, source: string): File {
  const found = files.find((file) => file.path === path);
  if (!found) throw invalidInput(`${source} has no file ${path}. ${listed(files)}`);
  if (!path.endsWith('.gguf')) throw invalidInput(`${path} is not a .gguf file. To use safetensors, leave out --file.`);
  return whole(found);
}

function quantised<File extends Listed>(files: File[], wanted: string, source: string): File {
  const found = ggufs(files).filter(({ path }) => labelOf(path) === wanted.toUpperCase());
  if (found.length === 1) return whole(found[0]!);
  if (found.length === 0) throw invalidInput(`${source} has no GGUF file of ${wanted}. ${listed(files)}`);
  const names = found.map(({ path }) => path).join(', ');
  throw invalidInput(`${source} has several GGUF files of ${wanted}: ${names}. Name one with --file.`);
}

function onlyGguf<File extends Listed>(files: File[], source: string): File {
  const found = ggufs(files);
  if (found.length === 1) return whole(found[0]!);
  if (found.length > 1) {
    throw invalidInput(`${source} has several GGUF files. ${listed(files)} Choose one: ${source}:Q8_0, or --file.`);
  }
  const others = files.map(({ path }) => path).filter((path) => /\.(bin|pt|pth|h5|msgpack|onnx|ckpt)$/.test(path));
  const seen = others.length > 0 ? `only ${others.slice(0, 3).join(', ')}` : 'none of them';
  throw unacceptable(`${source} has no supported weights: expected .safetensors or .gguf, found ${seen}.`);
}

/** `model.safetensors`, or an index and its parts. */
function safetensors<File extends Listed>(files: File[]): File[] {
  const single = files.find(({ path }) => path === 'model.safetensors');
  if (single) return [single];
  const split = files.filter(({ path }) => /^model-\d+-of-\d+\.safetensors$/.test(path));
  const index = files.find(({ path }) => path === 'model.safetensors.index.json');
  return index && split.length > 0 ? [index, ...split] : [];
}

/** Files with `mmproj` contain the vision projector of a model, not a model. */
function ggufs<File extends Listed>(files: File[]): File[] {
  return files.filter(({ path }) => path.endsWith('.gguf') && !/mmproj/i.test(path));
}

function labelOf(path: string): string {
  return parseGGUFQuantLabel(path) ?? '';
}

function whole<File extends Listed>(file: File): File {
  if (!/-\d+-of-\d+\.gguf$/.test(file.path)) return file;
  throw unacceptable(
    `${file.path} is a part of a split GGUF file, which is not supported. Use a GGUF file in one piece.`,
  );
}

function listed(files: Listed[]): string {
  const found = ggufs(files).map(({ path, sizeBytes }) => `${path} (${humanBytes(sizeBytes)})`);
  return found.length > 0 ? `Its GGUF files: ${found.join(', ')}.` : 'It has no GGUF files.';
}
