#!/usr/bin/env node
// The one file of plain JavaScript: an older Node cannot read the others, and would say so in words that help nobody.
// It must run on every Node: nothing newer than `import()` here.

const oldest = { major: 22, minor: 18 }; // as `engines` in package.json
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > oldest.major || (major === oldest.major && minor >= oldest.minor)) {
  await import('./heddle.ts');
} else {
  process.stderr.write(
    'heddle: this is Node ' +
      process.versions.node +
      ', and heddle needs ' +
      oldest.major +
      '.' +
      oldest.minor +
      ' or newer. `npm ci` installs one for `npm start`; else install a newer Node.\n',
  );
  process.exitCode = 1;
}
