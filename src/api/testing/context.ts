import { rmSync } from 'node:fs';
import { afterAll, beforeAll, inject } from 'vitest';
import { serversOf } from '../../../testing/test-stores.ts';
import { readConfig } from '../../config.ts';
import type { Context } from '../../context.ts';
import { openLog } from '../../log.ts';
import { openContext } from '../../open/context.ts';
import { otlpJson, readSpans, type TestSpan } from '../../otel/testing/span.ts';
import { spanToPart } from '../../services/spans/to-part.ts';
import { copyStoreTemplate } from './store-template.ts';

/** A context without a server, on empty stores, for one test file; `current` is there once its tests run. */
export function contextForFile(): { readonly current: Context } {
  let context: Context;
  let data: string;
  beforeAll(async () => {
    data = copyStoreTemplate(inject('storeTemplate'));
    const config = readConfig({}, { HEDDLE_DATA: data, HEDDLE_LOG_LEVEL: 'error', ...serversOf(data) });
    context = await openContext(config, openLog(config));
  });
  afterAll(async () => {
    await context.close();
    rmSync(data, { recursive: true, force: true });
  });
  return {
    get current() {
      return context;
    },
  };
}

/** The parts of the calls that spans become. */
export function partsOf(spans: TestSpan[]) {
  const owner = { project: 'e/p', userId: 'u', opName: 'weave:///e/p/op/span:digest', resourceRun: '' };
  return readSpans(otlpJson(spans)).spans.map((span) => spanToPart(span, owner));
}
