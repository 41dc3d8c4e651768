import { setFlagsFromString } from 'node:v8';

/** The signals of a crash, and SIGTSTP (Ctrl-Z): all that ClickHouse installs handlers for. */
const handledByClickHouse = [
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGSYS',
  'SIGTRAP',
  'SIGTSTP',
] as const satisfies NodeJS.Signals[];

/**
 * Makes WebAssembly that is compiled from now on check its bounds itself. Usually V8 lets the processor find an access out
 * of bounds and catches its SIGSEGV; chDB takes that handler away. Call this before anything compiles WebAssembly.
 */
export function checkWasmBounds(): void {
  setFlagsFromString('--wasm-enforce-bounds-checks');
}

/**
 * Lets a crash end the process at once again. ClickHouse's own handler keeps the crashed thread asleep for five minutes while
 * the others go on and fail. Once chDB has been opened, it does not install its handlers again.
 */
export function restoreDefaultSignals(): void {
  for (const signal of handledByClickHouse) {
    const listener = () => {};
    // Removing the last listener of a signal makes Node restore the default action. Nothing else in Node does.
    process.on(signal, listener);
    process.off(signal, listener);
  }
}
