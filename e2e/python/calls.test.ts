import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { opName, storedCalls, treeOf } from '../harness/stored-calls.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('calls of the Python client', () => {
  const heddle = heddleForFile();

  const nested = [
    { sum_of_squares: [{ add: [] }, { add: [] }, { add: [] }] },
    { at_once: [{ wait_and_double: [] }, { wait_and_double: [] }] },
    { sum_of_squares: [{ add: [] }] },
  ];

  test('ops that call ops make trees', async () => {
    const project = heddle.server.newProject();
    const { root } = await runPython(heddle.server, 'nested_ops.py', { args: [project] });
    const calls = await storedCalls(heddle.server, project);
    expect(treeOf(calls)).toEqual(nested);
    expect(calls.every(({ summary }) => summary.weave.status === 'success')).toBe(true);
    expect(calls.find(({ id }) => id === root)).toMatchObject({
      project_id: project,
      inputs: { numbers: [4] },
      output: 16,
      attributes: { weave: { source: 'python-sdk', python: { type: 'function' } } },
      summary: { status_counts: { success: 2, error: 0 }, weave: { trace_name: 'sum_of_squares' } },
    });
  });

  test('the older way of writing, starts and ends apart, makes the same trees beside the newer one', async () => {
    const project = heddle.server.newProject();
    const environment = { WEAVE_USE_CALLS_COMPLETE: 'false' };
    await runPython(heddle.server, 'nested_ops.py', { args: [project], environment });
    expect(treeOf(await storedCalls(heddle.server, project))).toEqual(nested);
    await runPython(heddle.server, 'nested_ops.py', { args: [project] });
    expect(treeOf(await storedCalls(heddle.server, project))).toEqual([...nested, ...nested]);
  });

  test('generators keep what they yielded, failures their traceback', async () => {
    const project = heddle.server.newProject();
    await runPython(heddle.server, 'generators_and_errors.py', { args: [project] });
    const calls = await storedCalls(heddle.server, project);
    const of = (name: string) => calls.filter((call) => opName(call) === name);
    expect(of('count_to').map(({ output }) => output)).toEqual([[1, 2, 3], [1]]);
    expect(of('count_later')).toMatchObject([{ output: [1, 2], summary: { weave: { status: 'success' } } }]);
    expect(of('divide')).toMatchObject([{ output: null, summary: { weave: { status: 'error' } } }]);
    const exception = (name: string) => JSON.parse(of(name)[0].exception);
    expect(exception('divide')).toMatchObject({ type: 'ZeroDivisionError', message: 'division by zero' });
    expect(exception('divide').traceback.at(-1)).toMatchObject({ function_name: 'divide', text: 'return a / b' });
    expect(exception('fail_later')).toMatchObject({ type: 'ValueError', message: 'nothing to say: ü' });
    expect(exception('fail_while_counting').message).toBe('lost count');
  });

  test('attributes, threads and turns reach the calls below', async () => {
    const project = heddle.server.newProject();
    const report = await runPython(heddle.server, 'attributes_and_threads.py', { args: [project] });
    const calls = await storedCalls(heddle.server, project);
    const attributed = calls.filter(({ attributes }) => attributes.user === 'zoë');
    expect(attributed.map(opName)).toEqual(['outer', 'inner']);
    expect(attributed.every(({ attributes }) => attributes.tags.a === 1)).toBe(true);
    const inThread = calls.filter(({ thread_id }) => thread_id === 'conversation-1');
    expect(inThread.map(({ id }) => id).sort()).toEqual(report.thread.sort());
    const [one, two] = report.turns;
    expect(inThread.map(({ turn_id }) => turn_id)).toEqual([one, one, two, two]);
    expect(treeOf(calls).at(-1)).toEqual({ in_pool: Array.from({ length: 20 }, () => ({ inner: [] })) });
  });

  test('statistics and threads are told by the calls of the client for them', async () => {
    const project = heddle.server.newProject();
    const { usage, calls } = await runPython(heddle.server, 'stats_and_threads.py', { args: [project] });
    const sum = (rows: Record<string, number>[], key: string) => rows.reduce((total, row) => total + row[key]!, 0);
    expect(sum(calls, 'sum_call_count')).toBe(5);
    expect(sum(calls, 'sum_error_count')).toBe(1);
    expect(new Set(usage.map(({ model }: { model: string }) => model))).toEqual(new Set(['m-1']));
    expect(sum(usage, 'sum_total_tokens')).toBe(4 * 42);
    expect(Math.max(...usage.map((row: Record<string, number>) => row.max_input_tokens))).toBe(30);
  });

  test('a running call is seen, and its end completes it', async () => {
    const project = heddle.server.newProject();
    const { done } = await runPython(heddle.server, 'running_call.py', { args: [project] });
    const calls = await storedCalls(heddle.server, project);
    expect(calls).toHaveLength(2);
    expect(calls[0]).toMatchObject({ id: done, output: 2, summary: { weave: { status: 'success' } } });
  });

  test('calls are renamed, and deleted with what is below them', async () => {
    const project = heddle.server.newProject();
    const { kept, left } = await runPython(heddle.server, 'names_and_deletion.py', { args: [project] });
    const calls = await storedCalls(heddle.server, project);
    expect(calls.map(({ id }) => id)).toEqual(left);
    expect(treeOf(calls)).toEqual([{ branch: [{ leaf: [] }] }]);
    expect(calls.find(({ id }) => id === kept).display_name).toBeNull();
  });

  test('calls of the openai SDK carry their messages and the tokens they used', async () => {
    const project = heddle.server.newProject();
    await runPython(heddle.server, 'openai_calls.py', { args: [project] });
    const calls = await storedCalls(heddle.server, project);
    const completion = { 'openai.chat.completions.create': [] };
    expect(treeOf(calls)).toEqual([{ greet: [completion] }, completion]);
    expect(calls.map(({ summary }) => summary.usage['toy-1'].total_tokens)).toEqual([7, 7, 7]);
    expect(calls[2].output.choices[0].message.content).toBe('hello there');
  });

  test('every question the client can ask is answered', async () => {
    const project = heddle.server.newProject();
    const { config, calls } = await runPython(heddle.server, 'call_queries.py', { args: [project] });
    expect(calls).toBe(11);
    const stored = await storedCalls(heddle.server, project);
    expect(stored.filter(({ inputs }) => inputs.config === config)).toHaveLength(5);
  });
});
