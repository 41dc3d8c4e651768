import type { Caller } from '../identity/identity.ts';
import { readBody } from '../otel/reader/read-body.ts';
import type { Calls } from '../services/calls/calls.ts';
import type { Feedback } from '../services/feedback/feedback.ts';
import type { NewFeedback } from '../services/feedback/prepare-feedback.ts';
import type { Project } from '../services/owner.ts';
import type { Spans } from '../services/spans/spans.ts';
import { Failure, isRefusal } from '../util/failures.ts';
import { toJson } from '../util/json/write.ts';
import type { ImportItem } from './item.ts';

type Written = { calls: number; feedback: number; refused: string[] };
type Call = Extract<ImportItem, { kind: 'call' }>['call'];

type Parts = { calls: Calls; spans: Spans; feedback: Feedback };
type Target = { project: Project; caller: Caller; redacts: boolean };

/** Writes items into a project. Each is durable when `write` resolves; items that already exist are skipped. */
export function openItemWriter(parts: Parts, { project, caller, redacts }: Target) {
  const { calls, spans, feedback } = parts;

  async function writeCalls(wanted: Call[]): Promise<Written> {
    const outcomes = await calls.recordEach(wanted, async (call) => {
      const { endedAt, summary = '{}' } = call;
      const part =
        endedAt === undefined
          ? await calls.makeStart(call, caller.userId)
          : await calls.makeComplete({ ...call, endedAt, summary }, caller.userId);
      return { projectId: project.id, id: call.id, part };
    });
    const refused = outcomes.flatMap((outcome, i) =>
      outcome instanceof Failure ? [`call ${wanted[i]!.id}: ${outcome.message}`] : [],
    );
    return { calls: wanted.length - refused.length, feedback: 0, refused };
  }

  /** Only those that are neither in the store nor among the calls of the batch. */
  async function missingParents(parents: Call[], written: Call[]): Promise<Call[]> {
    const byId = new Map<string, Call>();
    for (const call of parents) {
      const known = byId.get(call.id);
      if (!known || call.startedAt < known.startedAt) byId.set(call.id, call);
    }
    for (const { id } of written) byId.delete(id);
    if (byId.size === 0) return [];
    for (const { call } of await calls.find([...byId.keys()], { project })) byId.delete(call.id);
    return [...byId.values()];
  }

  async function writeSpans(wanted: object[]): Promise<Written> {
    const body = Buffer.from(toJson({ resourceSpans: [{ scopeSpans: [{ scope: {}, spans: wanted }] }] }));
    const { groups, refused } = await readBody('traces', body, { encoding: 'json', redacts });
    const stored = await spans.store(groups, { caller, header: project.name });
    const all = [...refused, ...stored.refused];
    return { calls: wanted.length - all.length, feedback: 0, refused: all };
  }

  async function writeFeedback(wanted: (NewFeedback & { id: string })[]): Promise<Written> {
    const known = await feedback.known(
      project,
      wanted.map(({ id }) => id),
    );
    const refused: string[] = [];
    let count = 0;
    for (const each of wanted) {
      if (known.has(each.id)) continue;
      known.add(each.id);
      try {
        await feedback.add(caller, [each]);
        count++;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refused.push(`feedback ${each.id}: ${error.message}`);
      }
    }
    return { calls: 0, feedback: count, refused };
  }

  return {
    async write(items: ImportItem[]): Promise<Written> {
      const made = items.flatMap((item) => (item.kind === 'call' ? [item.call] : []));
      const parents = items.flatMap((item) => (item.kind === 'parent' ? [item.call] : []));
      const sent = items.flatMap((item) => (item.kind === 'span' ? [item.span] : []));
      const notes = items.flatMap((item) => (item.kind === 'feedback' ? [item.feedback] : []));
      const all = [...(await missingParents(parents, made)), ...made];
      const written = [
        all.length > 0 ? await writeCalls(all) : nothing,
        sent.length > 0 ? await writeSpans(sent) : nothing,
        notes.length > 0 ? await writeFeedback(notes) : nothing,
      ];
      return {
        calls: written.reduce((sum, { calls }) => sum + calls, 0),
        feedback: written.reduce((sum, { feedback }) => sum + feedback, 0),
        refused: written.flatMap(({ refused }) => refused),
      };
    },
  };
}

const nothing: Written = { calls: 0, feedback: 0, refused: [] };
