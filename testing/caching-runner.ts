import { flushCompileCache } from 'node:module';
import { TestRunner } from 'vitest';

/** Keeps the compiled code of what the tests have imported: Vitest ends the process with a signal, before Node would do it. */
export default class CachingRunner extends TestRunner {
  override onAfterRunFiles(): void {
    super.onAfterRunFiles();
    flushCompileCache();
  }
}
