import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** Embedded PostgreSQL has stopped: it panicked, or its code trapped. It must be opened again. */
export class PostgresStoppedError extends Error {}

/**
 * The files of PGlite on disk, and a guard around its engine. PGlite ignores every error in a step and repeats the
 * step, so an engine that panics (as PostgreSQL does when it cannot write its WAL) would loop and block the whole
 * process. The guard makes every call after the first trap throw instead.
 */
export class GuardedFileSystem extends NodeFS {
  /** Why the engine stopped; null while it runs. */
  stopped: PostgresStoppedError | null = null;
  /** The last message of PostgreSQL about why it cannot continue. */
  reason: string | null = null;
  #engine: Engine | null = null;

  override async init(pglite: PGlite, options: Parameters<NodeFS['init']>[1]) {
    const amended = await super.init(pglite, options);
    (amended.emscriptenOpts.preRun as ((engine: Engine) => void)[]).push((engine) => this.#guard(engine));
    return amended;
  }

  /** Closes the files of a stopped engine, which cannot do this itself. */
  closeFiles(): void {
    for (const stream of this.#engine?.FS.streams ?? []) {
      if (!stream) continue;
      try {
        this.#engine!.FS.close(stream);
      } catch {
        // The engine's unwritten changes are lost with it; committed data is in the WAL.
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
        // A stack overflow is a RangeError; like a trap, it leaves the engine in an inconsistent state.
        if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) this.#stop(engine, error);
        throw error; // PostgreSQL's own longjmps, which PGlite handles
      }
    };
  }

  /** PGlite calls `stackRestore` first after a failed step: throwing there ends its loop. */
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

/** The part of the Emscripten-compiled engine that the guard needs. */
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
