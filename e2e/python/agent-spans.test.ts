import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { startHeddle } from '../harness/heddle.ts';
import { testDataDirectory } from '../harness/heddle-for-file.ts';
import { storedCalls, treeOf } from '../harness/stored-calls.ts';
import { queryTraces } from '../harness/stored-data.ts';
import { pythonIsReady } from './environment.ts';

test.skipIf(!pythonIsReady())(
  'spans of an agent are kept whole, and are calls of their own but for those that the Python SDK traces itself',
  async () => {
    const data = testDataDirectory();
    const heddle = await startHeddle(data);
    const project = heddle.newProject();
    const { tool, covered } = await runPython(heddle, 'agent_spans.py', { args: [project] });
    const calls = await storedCalls(heddle, project);
    await heddle.end('SIGTERM');

    expect(treeOf(calls)).toEqual([
      { execute_tool_add: [] },
      { add: [] },
      { look_up: [{ read_a_page: [] }, { traced_by_sdk: [] }, { traced_by_sdk: [] }] },
    ]);
    const traced = calls.filter(({ id }) => covered.includes(id));
    const asSent = { inputs: { question: 'why?' }, output: 'because', attributes: { weave: { source: 'python-sdk' } } };
    expect(traced).toMatchObject([asSent, asSent]);
    expect(traced.every(({ attributes }) => attributes.otel_span === undefined)).toBe(true);
    const [span, add] = calls;
    expect(span).toMatchObject({ id: tool, attributes: { otel_span: { name: 'execute_tool add' } } });
    expect(add.attributes.weave.invoking_span).toEqual({ span_id: tool, trace_id: span.trace_id });

    const kept = await queryTraces<{ span_id: string; name: string; raw: string }>(
      data,
      'SELECT span_id, name, raw FROM agent_spans FINAL ORDER BY started_at',
    );
    expect(kept.map(({ name }) => name)).toEqual(['execute_tool add', 'read a page', 'call first', 'span first']);
    expect(kept[0]).toMatchObject({ span_id: tool, raw: JSON.stringify(span.attributes.otel_span) });
    expect(kept.slice(2).map(({ span_id }) => span_id)).toEqual(covered);
    rmSync(data, { recursive: true });
  },
);
