import { readdirSync, readFileSync } from 'node:fs';

export type ModelProcess = { pid: number; environment: string[]; niceness: number; oomScore: number };

/** The running model processes of a server. @param file their program */
export function modelProcesses(server = process.pid, file = 'host-process.ts'): ModelProcess[] {
  return childrenOf(server)
    .filter((pid) => read(pid, 'cmdline').includes(file))
    .map((pid) => ({
      pid,
      environment: read(pid, 'environ').split('\0').filter(Boolean),
      niceness: Number(statOf(pid)[16]),
      oomScore: Number(read(pid, 'oom_score_adj')),
    }));
}

/** Memory of this process and its descendants, as the system counts it. */
export function residentBytes(pid = process.pid): number {
  const own = Number(/VmRSS:\s+(\d+)/.exec(read(pid, 'status'))?.[1] ?? 0) * 1024;
  return childrenOf(pid).reduce((sum, child) => sum + residentBytes(child), own);
}

/** Whether a process with this id is running; a zombie is not. */
export function isRunning(pid: number): boolean {
  return (statOf(pid)[0] ?? 'Z') !== 'Z';
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => Number(statOf(pid)[1]) === parent);
}

/** The fields from the state on: the name before it, in parentheses, may contain anything. */
function statOf(pid: number): string[] {
  return /\) (.*)$/s.exec(read(pid, 'stat'))?.[1]?.split(' ') ?? [];
}

/** Empty if the process has ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
