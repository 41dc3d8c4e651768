import { quantile } from '../load.ts';
import { report } from '../report.ts';
import type { Peer, QuestionName } from './peer.ts';
import type { Server } from './server.ts';
import type { BenchSpans } from './spans.ts';

const warmUps = 2;
const times = 20;

/** Puts a question some times, and says how soon it was answered, what was found, and how long the answers were. */
export async function putQuestion(
  peer: Peer,
  { client }: Server,
  spans: BenchSpans,
  name: QuestionName,
): Promise<void> {
  const title = `${peer.name}: ${name}`;
  const question = peer.questions[name];
  if (typeof question !== 'function') return report(title, { [`(${question.cannot})`]: 'cannot' });
  const ms: number[] = [];
  const found: number[] = [];
  let bytes = 0;
  try {
    for (let i = -warmUps; i < times; i++) {
      const bytesBefore = client.bytesRead();
      const startedAt = performance.now();
      const count = await question(client, spans, i + warmUps);
      if (i < 0) continue;
      ms.push(performance.now() - startedAt);
      found.push(count);
      bytes += client.bytesRead() - bytesBefore;
    }
    report(title, {
      'ms p50': quantile(ms, 0.5),
      p95: quantile(ms, 0.95),
      found: quantile(found, 0.5),
      'kB an answer': bytes / times / 1000,
    });
  } catch (error) {
    report(title, { [(error as Error).message]: 'failed:' });
  }
}
