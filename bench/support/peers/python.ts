import { join } from 'node:path';
import { directoryOf, installOnce, run } from './install.ts';

/** Makes a virtual environment with a package, and others that it needs here, where it is missing. */
export function installPackage(name: string, version: string, ...others: string[]): void {
  installOnce(name, version, (directory) => {
    run('python3.11', '-m', 'venv', directory);
    run(join(directory, 'bin', 'pip'), 'install', '--quiet', `${name}==${version}`, ...others);
  });
}

/** A program that the package brings. */
export function packageProgram(name: string, program: string): string {
  return join(directoryOf(name), 'bin', program);
}
