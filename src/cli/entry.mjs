#!/usr/bin/env node
// The one file of plain JavaScript: an older Node cannot read the others, and its message would not help.
// It must run on every Node: nothing newer than `import()` here.

import module from 'node:module';
import { fileURLToPath } from 'node:url';

const oldest = { major: 22, minor: 18 }; // as `engines` in package.json
/** Compiled code of heddle: a quarter of the time of a start. */
const compiled = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) {
  hideWarnings();
  if (['serve', 'move'].includes(process.argv[2])) restartWithSettings();
  module.enableCompileCache(compiled);
  await import('./heddle.ts');
} else {
  process.stderr.write(
    'heddle: Node ' +
      oldest.major +
      '.' +
      oldest.minor +
      ' or newer is required, and this is Node ' +
      process.versions.node +
      '. Install a newer one; in a clone, `npm ci` does.\n',
  );
  process.exitCode = 1;
}

/** Node warns at each start of two features that it calls experimental: SQLite, which locks the data directory, and `execve`. */
function hideWarnings() {
  const emitWarning = process.emitWarning;
  const hidden = /SQLite is an experimental feature|process\.execve is an experimental feature/;
  process.emitWarning = (warning, ...details) => {
    if (!hidden.test(String(warning))) emitWarning.call(process, warning, ...details);
  };
}

/** Starts this process again, under the same id, with variables that are only read when a process starts. */
function restartWithSettings() {
  const settings = {
    // By default glibc raises the size above which it returns freed memory at once to that of the largest buffer freed, up
    // to 32 MiB, and each of dozens of threads keeps what it once needed: 1.2 GB instead of 0.75 after 100,000 spans.
    MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
    NODE_COMPILE_CACHE: compiled, // also for its threads and processes
  };
  const isSet = Object.keys(settings).every((name) => process.env[name] !== undefined);
  if (isSet || process.execve === undefined || process.connected) return;
  try {
    const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    process.execve(process.execPath, words, { ...settings, ...process.env });
  } catch {
    // Without them, heddle uses more memory and starts more slowly.
  }
}
