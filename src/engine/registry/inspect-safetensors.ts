import { openFileBytes } from '../models/file-bytes.ts';
import { readSafetensorsHeader } from '../models/safetensors/header.ts';
import { elementCount } from '../models/weight-source.ts';
import { refusalOf } from './refusing.ts';

/** The tensor names of a safetensors file, and its number of elements by type. */
export type SafetensorsContent = { names: Set<string>; elementsByType: Map<string, number> };

/** Reads the header of a safetensors file. @throws Failure if it is invalid */
export function inspectSafetensors(path: string): SafetensorsContent {
  const file = openFileBytes(path);
  try {
    const content: SafetensorsContent = { names: new Set(), elementsByType: new Map() };
    for (const [name, { dtype, shape }] of readSafetensorsHeader(file)) {
      content.names.add(name);
      content.elementsByType.set(dtype, (content.elementsByType.get(dtype) ?? 0) + elementCount(shape));
    }
    return content;
  } catch (error) {
    throw refusalOf(error);
  } finally {
    file.close();
  }
}
