import { readFileSync } from 'node:fs';
import { Module as CommonJsModule } from 'node:module';
import { fileURLToPath } from 'node:url';

export type Xgrammar = typeof import('@mlc-ai/web-xgrammar');

/**
 * Loads the grammar library. Its package declares an ES module but contains a CommonJS bundle, which neither `import` nor
 * `require` can load, so it is compiled as CommonJS here.
 */
export function loadXgrammar(): Xgrammar {
  const file = fileURLToPath(import.meta.resolve('@mlc-ai/web-xgrammar'));
  const module = new CommonJsModule(file) as CommonJsModule & { _compile: (code: string, file: string) => void };
  module._compile(readFileSync(file, 'utf8'), file);
  return module.exports as Xgrammar;
}

/**
 * Limits the WebAssembly memory of this process. If an allocation exceeds it, the library aborts and the process ends.
 * @returns a function that reports whether this happened since its last call
 */
export function limitWasmMemory(bytesMax: number): () => boolean {
  let wasRefused = false;
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (this: WebAssembly.Memory, pages: number) {
    try {
      if (this.buffer.byteLength + pages * 65_536 > bytesMax) throw new RangeError('the memory limit is exceeded');
      return grow.call(this, pages);
    } catch (error) {
      wasRefused = true;
      throw error;
    }
  };
  return () => {
    const was = wasRefused;
    wasRefused = false;
    return was;
  };
}

/** The library prints reasons to `console.error`; its exceptions only say that it aborted. */
export function captureReasons(): () => string | null {
  let lines: string[] = [];
  console.error = (...parts: unknown[]) => {
    lines.push(parts.join(' '));
  };
  return () => {
    const fatal = lines.map((line) => /\[FATAL\] \S*: ?(.*)/.exec(line)?.[1]).find((reason) => reason !== undefined);
    lines = [];
    return fatal ?? null;
  };
}
