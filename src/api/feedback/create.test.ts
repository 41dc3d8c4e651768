import { describe, expect, test } from 'vitest';
import { addFeedback, queryFeedback, sendFeedback } from '../testing/feedback.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const react = (project: string, payload: unknown) =>
  sendFeedback(server, project, { feedback_type: 'wandb.reaction.1', payload });

describe('reactions and notes', () => {
  test('names a reaction with and without its skin tone [objects 139]', async () => {
    const project = await server.newProject();
    const { json } = await react(project, { emoji: '👍🏽' });
    expect(json).toEqual({
      id: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      wb_user_id: expect.any(String),
      payload: {
        emoji: '👍🏽',
        alias: ':thumbs_up_medium_skin_tone:',
        detoned: '👍',
        detoned_alias: ':thumbs_up:',
      },
    });
    const { result } = await queryFeedback(server, project);
    expect(result[0].payload).toEqual(json.payload);
  });

  test.each([[{ emoji: '👍👍' }], [{ emoji: 'x' }], [{}], [{ emoji: 5 }]])(
    'rejects the reaction %j [objects 140]',
    async (payload) => {
      expect((await react(await server.newProject(), payload)).status).toBe(400);
    },
  );

  test('accepts other text beside the emoji [objects 141]', async () => {
    expect((await react(await server.newProject(), { emoji: 'a👍' })).status).toBe(200);
  });

  test.each([
    ['an empty note', ''],
    ['a note of 1,025 characters', 'x'.repeat(1025)],
    ['a note that is a number', 5],
  ])('rejects %s [objects 142]', async (_name, note) => {
    const project = await server.newProject();
    const answer = await sendFeedback(server, project, { feedback_type: 'wandb.note.1', payload: { note } });
    expect(answer.status).toBe(400);
    expect(answer.json.reason).toMatch(/^Invalid payload for feedback_type wandb\.note\.1: note: /);
  });

  test('accepts a note of 1,024 characters', async () => {
    const project = await server.newProject();
    await addFeedback(server, project, { feedback_type: 'wandb.note.1', payload: { note: '🙂'.repeat(1024) } });
  });

  test('stores the same reaction twice', async () => {
    const project = await server.newProject();
    await react(project, { emoji: '👍' });
    await react(project, { emoji: '👍' });
    expect((await queryFeedback(server, project)).total).toBe(2);
  });
});

describe('ids and types', () => {
  test('keeps the id that the client sends [objects 143] [evaluations 162]', async () => {
    const project = await server.newProject();
    expect(await addFeedback(server, project, { id: 'my-id' })).toBe('my-id');
    expect((await queryFeedback(server, project)).result[0].id).toBe('my-id');
  });

  test('stores a repeated request once', async () => {
    const project = await server.newProject();
    const body = { project_id: project, weave_ref: 'anything', feedback_type: 'custom', payload: {} };
    const headers = { 'x-weave-retry-id': '018f0000-0000-7000-8000-000000000001' };
    const first = await server.post('/feedback/create', body, { headers });
    const second = await server.post('/feedback/create', body, { headers });
    expect(second.json.id).toBe(first.json.id);
    expect((await queryFeedback(server, project)).total).toBe(1);
  });

  test('accepts an unknown type [objects 144]', async () => {
    await addFeedback(server, await server.newProject(), { feedback_type: 'wandb.foo' });
  });

  test.each([
    ['runnable_ref', 'weave:///ent/p/op/f:d', 'runnable_ref is not allowed for non-runnable feedback'],
    ['call_ref', 'weave:///ent/p/call/c', 'call_ref is not allowed for non-runnable feedback'],
    ['trigger_ref', 'weave:///ent/p/object/m:d', 'trigger_ref is not allowed for non-runnable feedback'],
    ['annotation_ref', 'weave:///ent/p/object/a:d', 'annotation_ref is not allowed for non-annotation feedback'],
    ['scorer_tags', ['good'], 'scorer_tags is not allowed for feedback_type custom'],
  ])('rejects %s on feedback of another type [objects 145]', async (field, value, reason) => {
    const answer = await sendFeedback(server, await server.newProject(), { [field]: value });
    expect({ status: answer.status, reason: answer.json.reason }).toEqual({ status: 400, reason });
  });

  test.each(['weave:///x', 'weave:///x/y'])('rejects the target %s, which is not a ref', async (weave_ref) => {
    const answer = await sendFeedback(server, await server.newProject(), { weave_ref });
    expect(answer.json).toEqual({ reason: `Invalid URI: ${weave_ref}` });
  });

  test('takes the user from the key and times from the server', async () => {
    const project = await server.newProject();
    await addFeedback(server, project, { wb_user_id: 'somebody', created_at: '2001-01-01', creator: 'me' });
    const [row] = (await queryFeedback(server, project)).result;
    expect(row).toMatchObject({ creator: 'me', runnable_ref: null, span_status_code: 'UNSET', scorer_tags: [] });
    expect(row.wb_user_id).not.toBe('somebody');
    expect(Date.parse(row.created_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  test('returns payloads digit for digit', async () => {
    const project = await server.newProject();
    const payload = '{"b":1.0,"a":123456789012345678901234567890,"2":null,"1":"weave:///x"}';
    const body = `{"project_id":"${project}","weave_ref":"r","feedback_type":"custom","payload":${payload}}`;
    expect((await server.post('/feedback/create', body)).text).toContain(payload);
    expect((await queryFeedback(server, project)).text).toContain(payload);
  });
});

describe('annotations', () => {
  async function publishSpec(project: string, name: string, field_schema: unknown): Promise<string> {
    const obj = { project_id: project, object_id: name, val: { field_schema }, builtin_object_class: 'AnnotationSpec' };
    const { json } = await server.post('/obj/create', { obj });
    return `weave:///${project}/object/${name}:${json.digest}`;
  }

  const annotate = (project: string, ref: string | null, value: unknown, type = 'wandb.annotation.score') =>
    sendFeedback(server, project, { feedback_type: type, annotation_ref: ref, payload: { value } });

  test('checks a value against the schema of its spec [objects 146]', async () => {
    const project = await server.newProject();
    const ref = await publishSpec(project, 'score', { type: 'number', minimum: 0, maximum: 1 });
    expect((await annotate(project, ref, 0.5)).status).toBe(200);
    const wrong = await annotate(project, ref, 2);
    expect(wrong.status).toBe(400);
    expect(wrong.json.reason).toMatch(/^Feedback payload does not match annotation spec/);
    const missing = { feedback_type: 'wandb.annotation.score', annotation_ref: ref, payload: {} };
    expect((await sendFeedback(server, project, missing)).status).toBe(400);
  });

  test('accepts 3.0 and rejects true as an integer [objects 147]', async () => {
    const project = await server.newProject();
    const ref = await publishSpec(project, 'score', { type: 'integer' });
    const body = (value: string) =>
      `{"project_id":"${project}","weave_ref":"r","feedback_type":"wandb.annotation.score","annotation_ref":"${ref}","payload":{"value":${value}}}`;
    expect((await server.post('/feedback/create', body('3.0'))).status).toBe(200);
    expect((await server.post('/feedback/create', body('true'))).status).toBe(400);
  });

  test('requires the spec of the same name and project [objects 148]', async () => {
    const project = await server.newProject();
    const ref = await publishSpec(project, 'score', {});
    const other = await publishSpec(await server.newProject(), 'score', {});
    const answers = [
      await annotate(project, null, 1),
      await annotate(project, ref, 1, 'wandb.annotation.other'),
      await annotate(project, ref, 1, 'wandb.annotation'),
      await annotate(project, other, 1),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(answers.map(({ json }) => json.reason)).toEqual([
      'annotation_ref is required for annotation feedback',
      'annotation_ref must point to an object with name other',
      expect.stringMatching(/^Invalid annotation feedback type: wandb\.annotation/),
      expect.stringContaining(`does not match project id ${project}`),
    ]);
  });

  test('rejects an unknown or deleted spec [objects 149]', async () => {
    const project = await server.newProject();
    const ref = await publishSpec(project, 'score', {});
    const absent = await annotate(project, `weave:///${project}/object/score:${'x'.repeat(43)}`, 1);
    expect(absent.status).toBe(404);
    expect(absent.json.missing_object_digests).toEqual(['x'.repeat(43)]);
    expect((await annotate(project, `weave:///${project}/object/score:latest`, 1)).status).toBe(400);
    await server.post('/obj/delete', { project_id: project, object_id: 'score', digests: [ref.split(':').at(-1)] });
    const deleted = await annotate(project, ref, 1);
    expect(deleted.status).toBe(400);
    expect(deleted.json.reason).toMatch(/^Annotation ref .* not found$/);
  });

  test('rejects an object that is not an AnnotationSpec', async () => {
    const project = await server.newProject();
    const obj = { project_id: project, object_id: 'score', val: { field_schema: {} } };
    const { json } = await server.post('/obj/create', { obj });
    const answer = await annotate(project, `weave:///${project}/object/score:${json.digest}`, 1);
    expect(answer.json.reason).toMatch(/is not an AnnotationSpec$/);
  });

  test('rejects a value whose pattern takes too long to match', async () => {
    const project = await server.newProject();
    const ref = await publishSpec(project, 'score', { type: 'string', pattern: '^(a+)+$' });
    const answer = await annotate(project, ref, `${'a'.repeat(40)}!`);
    expect(answer.status).toBe(400);
    expect((await annotate(project, ref, 'aaa')).status).toBe(200);
  });
});

describe('scores', () => {
  const score = (project: string, more: Record<string, unknown>) =>
    sendFeedback(server, project, { feedback_type: 'wandb.runnable.f', payload: { output: 1 }, ...more });

  test('requires call_ref for a score by an op [objects 150]', async () => {
    const project = await server.newProject();
    const runnable_ref = `weave:///${project}/op/f:d`;
    expect((await score(project, { runnable_ref })).status).toBe(400);
    expect((await score(project, { runnable_ref, call_ref: `weave:///${project}/call/c` })).status).toBe(200);
    expect((await score(project, { runnable_ref, call_ref: runnable_ref })).status).toBe(400);
  });

  test('accepts a score by an object without call_ref [objects 151]', async () => {
    const project = await server.newProject();
    expect((await score(project, { runnable_ref: `weave:///${project}/object/f:d` })).status).toBe(200);
    expect((await score(project, { runnable_ref: `weave:///${project}/object/g:d` })).status).toBe(400);
    expect((await score(project, {})).status).toBe(400);
    expect((await score(project, { feedback_type: 'wandb.runnable' })).json.reason).toMatch(/^Invalid runnable/);
  });

  test('rejects a score without output [objects 152]', async () => {
    const project = await server.newProject();
    const answer = await score(project, { runnable_ref: `weave:///${project}/object/f:d`, payload: { out: 1 } });
    expect(answer.json.reason).toBe('Invalid payload for feedback_type wandb.runnable.f: output: Field required');
  });

  test('requires runnable_ref, call_ref and trigger_ref for feedback of a monitor', async () => {
    const project = await server.newProject();
    const refs = {
      runnable_ref: `weave:///${project}/object/f:d`,
      call_ref: `weave:///${project}/call/c`,
      trigger_ref: `weave:///${project}/object/m:d`,
    };
    const send = (more: object) => sendFeedback(server, project, { feedback_type: 'wandb.agent_monitor', ...more });
    expect((await send(refs)).status).toBe(200);
    for (const field of Object.keys(refs)) expect((await send({ ...refs, [field]: null })).status).toBe(400);
  });
});

describe('feedback on agents', () => {
  const send = (project: string, more: Record<string, unknown>) =>
    sendFeedback(server, project, { feedback_type: 'wandb.agent_user_feedback', scorer_tags: ['good'], ...more });

  test('rejects user feedback without tags [objects 153]', async () => {
    expect((await send(await server.newProject(), { scorer_tags: [] })).status).toBe(400);
  });

  test('takes the conversation or trace from the ref [objects 154]', async () => {
    const project = await server.newProject();
    const weave_ref = `weave:///${project}/agent_conversation/cv%2F1`;
    await send(project, { weave_ref });
    expect((await queryFeedback(server, project)).result).toMatchObject([{ span_conversation_id: 'cv/1', weave_ref }]);
    expect((await send(project, { weave_ref, span_conversation_id: 'other' })).status).toBe(400);
    expect((await send(project, { weave_ref, span_trace_id: 't' })).status).toBe(400);
    const turn = `weave:///${project}/agent_turn/t1`;
    expect((await send(project, { weave_ref: turn, span_trace_id: 't2' })).status).toBe(400);
    await send(project, { weave_ref: turn });
    expect((await queryFeedback(server, project)).result[1]).toMatchObject({ span_trace_id: 't1' });
  });

  test('rejects an unknown span status', async () => {
    expect((await send(await server.newProject(), { span_status_code: 'FINE' })).status).toBe(400);
  });
});

describe('limits and batches', () => {
  test('rejects a payload over 1 MiB, measured as Python writes it [objects 155]', async () => {
    const project = await server.newProject();
    const long = await sendFeedback(server, project, { payload: { text: 'x'.repeat(1_048_577) } });
    expect({ status: long.status, json: long.json }).toEqual({
      status: 400,
      json: { reason: 'Feedback payload too large' },
    });
    expect((await sendFeedback(server, project, { payload: { text: 'é'.repeat(200_000) } })).status).toBe(400);
    expect((await sendFeedback(server, project, { payload: { text: 'x'.repeat(1_000_000) } })).status).toBe(200);
  });

  test('rejects an unknown queue [objects 156]', async () => {
    const answer = await sendFeedback(server, await server.newProject(), { queue_id: 'q' });
    expect(answer.json).toEqual({ reason: 'Queue q not found or has been deleted' });
  });

  test('stores nothing of a batch with one bad item [objects 157]', async () => {
    const project = await server.newProject();
    const item = { project_id: project, weave_ref: 'r', feedback_type: 'custom', payload: {} };
    const bad = { ...item, feedback_type: 'wandb.note.1' };
    expect((await server.post('/feedback/batch/create', { batch: [item, bad] })).status).toBe(400);
    expect((await queryFeedback(server, project)).total).toBe(0);
  });

  test('answers a batch in order, across projects', async () => {
    const [one, two] = [await server.newProject(), await server.newProject()];
    const item = (project_id: string, id: string) => ({
      ...{ id, project_id, weave_ref: 'r', feedback_type: 'custom' },
      payload: { id },
    });
    const batch = [item(one, 'z'), item(two, 'y'), item(one, 'a')];
    const { json } = await server.post('/feedback/batch/create', { batch });
    expect(json.res.map(({ id }: { id: string }) => id)).toEqual(['z', 'y', 'a']);
    const ids = (await queryFeedback(server, one)).result.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['z', 'a']);
    expect((await server.post('/feedback/batch/create', { batch: [] })).json).toEqual({ res: [] });
  });
});
