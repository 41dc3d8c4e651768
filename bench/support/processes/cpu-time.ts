import { readFileSync } from 'node:fs';
import { processTree } from '../peers/process-tree.ts';

/** Linux counts the time of processes in hundredths of a second, on every architecture. */
const ticksPerSecond = 100;

/** The processor time, in seconds, that a process and those that it has started have used so far. */
export function cpuSeconds(root: number): number {
  return processTree(root).reduce((sum, { pid }) => sum + secondsOf(pid), 0);
}

/** That of the processes which this one has started. */
export function cpuSecondsOfChildren(): number {
  return cpuSeconds(process.pid) - secondsOf(process.pid);
}

function secondsOf(pid: number): number {
  try {
    // The name in parentheses may hold anything; the 12th and 13th after it are the ticks in user and system mode.
    const fields = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return 0; // it ended just now
  }
}
