import { getPriority } from 'node:os';
import { serveIsolated } from '../serve-isolated.ts';
import { FatalError } from '../serve-requests.ts';

/** A process that does the worst that code from a request could do. */
export type HostileRequest =
  | { kind: 'echo'; value: number }
  | { kind: 'surroundings' }
  | { kind: 'loop' }
  | { kind: 'allocate'; outsideTheHeap: boolean }
  | { kind: 'recurse' }
  | { kind: 'abort' }
  | { kind: 'fatal' };

export type HostileReply = number | { environment: string[]; niceness: number };

serveIsolated((request: HostileRequest): HostileReply => {
  switch (request.kind) {
    case 'echo':
      return request.value;
    case 'surroundings':
      return { environment: Object.keys(process.env), niceness: getPriority() };
    case 'loop':
      while (true);
    case 'allocate': {
      const kept: unknown[] = [];
      while (true)
        kept.push(request.outsideTheHeap ? Buffer.alloc(1 << 24, 1) : Array.from({ length: 1 << 16 }, String));
    }
    case 'recurse':
      return recurse(0);
    case 'abort':
      return process.abort();
    case 'fatal':
      throw new FatalError('poisoned');
    default:
      return request satisfies never;
  }
});

function recurse(depth: number): number {
  return 1 + recurse(depth + 1);
}
