import { readdirSync, readFileSync } from 'node:fs';

/** Ids are given anew; with the time of its start a process is told from a later one. */
export type SystemProcess = { pid: number; startedAt: string };

/** A process with those that it has started, and theirs. */
export function processTree(root: number): SystemProcess[] {
  const children = new Map<number, SystemProcess[]>();
  const tree: SystemProcess[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? statOf(pid) : null;
    if (stat === null) continue;
    const found = { pid, startedAt: stat.startedAt };
    if (pid === root) tree.push(found);
    children.set(stat.parent, [...(children.get(stat.parent) ?? []), found]);
  }
  for (const { pid } of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** The memory of all of them, as the system counts it: what two of them share is counted twice. */
export function residentBytes(root: number): number {
  const kilobytes = processTree(root).map(({ pid }) => Number(/VmRSS:\s+(\d+)/.exec(read(pid, 'status'))?.[1] ?? 0));
  return kilobytes.reduce((sum, each) => sum + each, 0) * 1024;
}

/** Does nothing where it has ended. */
export function kill({ pid, startedAt }: SystemProcess): void {
  if (statOf(pid)?.startedAt !== startedAt) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {} // it ended just now
}

function statOf(pid: number): { parent: number; startedAt: string } | null {
  // The name in parentheses may hold anything; the state follows it, then the parent, and as the 20th the time of the start.
  const fields = /\) (.*)$/s.exec(read(pid, 'stat'))?.[1]?.split(' ');
  return fields ? { parent: Number(fields[1]), startedAt: fields[19]! } : null;
}

/** Empty where the process has ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
