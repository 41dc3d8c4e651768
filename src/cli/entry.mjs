#!/usr/bin/env node
// The one file of plain JavaScript: an older Node cannot read the others, and its message would not help.
// It must run on every Node: nothing newer than `import()` here.

const oldest = { major: 22, minor: 18 }; // as `engines` in package.json
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) {
  hideSqliteWarning();
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

/** Node 22 calls its SQLite experimental at each start. heddle uses it only to lock the data directory. */
function hideSqliteWarning() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...details) => {
    if (!String(warning).includes('SQLite is an experimental feature')) emitWarning.call(process, warning, ...details);
  };
}
