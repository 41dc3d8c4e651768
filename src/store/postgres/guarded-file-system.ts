import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** PostgreSQL inside the process has stopped: it panicked, or its code ran into a trap. It must be opened again. */
export class PostgresStoppedError extends Error {}

/**
 * The files of PGlite on disk, and a guard around its engine. PGlite swallows every error of a step and repeats the step,
 * so an engine that panics (as PostgreSQL does when it cannot write its log) would run in circles and block the whole
 * process. The guard makes every call after the first trap throw instead.
 */
export class GuardedFileSystem extends NodeFS {
  /** Why the engine stopped; null while it runs. */
  stopped: PostgresStoppedError | null = null;
  /** What PostgreSQL itself said last of why it cannot go on. */
  reason: string | null = null;
  #engine: Engine | null = null;

  override async init(pglite: PGlite, options: Parameters<NodeFS['init']>[1]) {
    const amended = await super.init(pglite, options);
    (amended.emscriptenOpts.preRun as ((engine: Engine) => void)[]).push((engine) => this.#guard(engine));
    return amended;
  }

  /** Closes the files of an engine that stopped: it can no longer do that itself. */
  closeFiles(): void {
    for (const stream of this.#engine?.FS.streams ?? []) {
      if (!stream) continue;
      try {
        this.#engine!.FS.close(stream);
      } catch {
        // The engine is gone, and so is what it had yet to write; the log of PostgreSQL has what was committed.
      }
    }
  }

  #guard(engine: Engine): void {
    this.#engine = engine;
    // Emscripten sets the mode of each new file itself, past the umask of the process.
    const { chmod } = engine.FS;
    engine.FS.chmod = (path, mode, ...rest) => chmod.call(engine.FS, path, mode & ~0o077, ...rest);
    const step = engine._PostgresMainLoopOnce;
    engine._PostgresMainLoopOnce = () => {
      if (this.stopped) throw this.stopped;
      try {
        step();
      } catch (error) {
        // A stack overflow is a RangeError; like a trap it leaves the engine between two states.
        if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) this.#stop(engine, error);
        throw error; // PostgreSQL's own jumps, which PGlite handles
      }
    };
  }

  /** PGlite calls `stackRestore` first when a step has failed: throwing there is what ends its loop. */
  #stop(engine: Engine, cause: Error): void {
    const reason = this.reason ?? cause.message.split('\n', 1)[0];
    this.stopped = new PostgresStoppedError(`PostgreSQL stopped: ${reason}`, { cause });
    engine.stackRestore = () => {
      throw this.stopped;
    };
    engine._PostgresSendReadyForQueryIfNecessary = () => {};
    engine._pgl_pq_flush = () => {};
  }
}

/** What the guard needs of the engine that Emscripten made of PostgreSQL. */
type Engine = {
  _PostgresMainLoopOnce(): void;
  _PostgresSendReadyForQueryIfNecessary(): void;
  _pgl_pq_flush(): void;
  stackRestore(pointer: number): void;
  FS: {
    streams: ({ fd: number } | null)[];
    close(stream: { fd: number }): void;
    chmod(path: unknown, mode: number, ...rest: unknown[]): void;
  };
};
