import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Instruction = { name: string; words: string };

/** The instructions of each stage of a Containerfile, the last one being the image. */
export type Stage = { base: string; instructions: Instruction[] };

export const containerfile = join(import.meta.dirname, '../../deploy/Containerfile');

/** Reads what `deploy/Containerfile` uses: comments, continued lines, stages, and arguments before the first stage. */
export function readContainerfile(file = containerfile): Stage[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const text = lines.filter((line) => !line.startsWith('#')).join('\n');
  const given: Record<string, string> = {};
  const stages: Stage[] = [];
  for (const line of text.replaceAll(/\\\n/g, ' ').split('\n')) {
    const [, name, words] = /^([A-Z]+) +(.*)$/.exec(line.trim()) ?? [];
    if (name === undefined || words === undefined) continue;
    if (name === 'ARG' && stages.length === 0) {
      const [argument, value] = words.split('=');
      given[argument!] = value!;
    } else if (name === 'FROM') {
      const base = words.replace(/ AS .*/, '').replaceAll(/\$\{(\w+)\}/g, (_, argument) => given[argument]!);
      stages.push({ base, instructions: [] });
    } else {
      stages.at(-1)!.instructions.push({ name, words });
    }
  }
  return stages;
}

/** The words of an instruction of the image that appears once. */
export function wordsOf(stage: Stage, name: string): string {
  const found = stage.instructions.filter((each) => each.name === name);
  if (found.length !== 1) throw new Error(`The image has ${found.length} instructions ${name}, instead of one.`);
  return found[0]!.words;
}

/** The variables that the image sets. */
export function variablesOf(stage: Stage): Record<string, string> {
  return Object.fromEntries(
    [...wordsOf(stage, 'ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );
}

/** The command of its health check. */
export function healthCommandOf(stage: Stage): string[] {
  return JSON.parse(wordsOf(stage, 'HEALTHCHECK').replace(/^.*? CMD /, ''));
}
