#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { DataDirectoryError } from '../store/data-directory.ts';
import { addDoctor } from './doctor.ts';
import { addEnv } from './env.ts';
import { addEval } from './eval.ts';
import { explain } from './explain.ts';
import { addGate } from './gate.ts';
import { addImport } from './import.ts';
import { addJobs } from './jobs.ts';
import { addKeys } from './keys.ts';
import { addLineage } from './lineage.ts';
import { addLoop } from './loop.ts';
import { addModels } from './models.ts';
import { addMonitors } from './monitors.ts';
import { addMove } from './move.ts';
import { addPolicies } from './policies.ts';
import { addPull } from './pull.ts';
import { addRegistry } from './registry.ts';
import { addRemap } from './remap.ts';
import { addRuns } from './runs.ts';
import { addSecrets } from './secrets.ts';
import { addServe } from './serve.ts';
import { addSignIn } from './sign-in.ts';
import { addSpans } from './spans.ts';
import { addSuites } from './suites.ts';
import { addTop } from './top.ts';
import { addTrain } from './train.ts';
import { addUsers } from './users.ts';

process.stdout.on('error', () => {}); // a closed pipe, such as of `heddle --help | head`, or a full disk

const program = new Command('heddle')
  .description('One server that traces, evaluates, trains and serves language-model applications.')
  .version(
    (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version,
  )
  .showSuggestionAfterError()
  .showHelpAfterError('Run with --help to list commands and options.')
  .exitOverride()
  .helpCommand(false)
  .addHelpText(
    'after',
    `
Examples:
  $ heddle serve                       # start the server; the first start prints your key
  $ eval "$(heddle env python --new-key)" && python my_app.py
  $ heddle doctor                      # check that everything works`,
  );
program.commandsGroup('Server:');
addServe(program);
addDoctor(program);
addRemap(program);
addSpans(program);
addImport(program);
addMove(program);
program.commandsGroup('Models:');
addPull(program);
addModels(program);
addRegistry(program);
addPolicies(program);
addTrain(program);
addTop(program);
addJobs(program);
addRuns(program);
addLineage(program);
program.commandsGroup('Evaluations:');
addEval(program);
addSuites(program);
addGate(program);
addLoop(program);
addMonitors(program);
program.commandsGroup('Access:');
addEnv(program);
addKeys(program);
addSignIn(program);
addUsers(program);
addSecrets(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explain(error as Error);
  const isHanging = error instanceof DataDirectoryError && error.reason === 'hanging';
  if (isHanging) process.kill(process.pid, 'SIGKILL'); // an orderly exit would wait for the path to answer
}
