import { setFlagsFromString } from 'node:v8';

/** The crash signals, and SIGTSTP (Ctrl-Z): all signals that ClickHouse installs handlers for. */
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
 * Makes WebAssembly that is compiled from now on check its bounds explicitly. Usually V8 lets the CPU detect
 * out-of-bounds accesses and handles the SIGSEGV; chDB replaces that handler. Call this before anything compiles
 * WebAssembly.
 */
export function checkWasmBounds(): void {
  setFlagsFromString('--wasm-enforce-bounds-checks');
}

/**
 * Lets a crash end the process immediately again. ClickHouse's own handler keeps the crashed thread asleep for five
 * minutes while the others continue and fail. Once chDB has been opened, it does not install its handlers again.
 */
export function restoreDefaultSignals(): void {
  for (const signal of handledByClickHouse) {
    const listener = () => {};
    // Removing the last listener of a signal makes Node restore the default action. Nothing else in Node does.
    process.on(signal, listener);
    process.off(signal, listener);
  }
}
