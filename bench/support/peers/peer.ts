import type { Client } from './client.ts';
import type { BenchSpans } from './spans.ts';

/** A system that takes spans through OTLP and answers questions about them. */
export type Peer = {
  name: string;
  /** Makes sure that the program is there. */
  install(): void;
  /** What starts a server on this directory at this port, with the system's own defaults. */
  program(data: string, port: number): Program | Promise<Program>;
  /** The path that answers once the server is ready. */
  healthPath: string;
  otlp: { path: string; headers: Record<string, string> };
  /** Sent with every question. */
  headers: Record<string, string>;
  countSpans(client: Client): Promise<number>;
  /** How each question is asked, or why it cannot be. A question answers how many spans or traces were found. */
  questions: Record<QuestionName, Question | Cannot>;
};

type Program = { command: string; args: string[]; env: Record<string, string> };

/** Asks once, differently for each `i`. */
export type Question = (client: Client, spans: BenchSpans, i: number) => Promise<number>;
type Cannot = { cannot: string };

export type QuestionName = (typeof shortQuestions)[number] | typeof longTraceQuestion;

export const shortQuestions = [
  'newest 50 roots',
  'one span by id',
  'one trace of 12, whole',
  'an attribute of 1 span in 100, newest 50',
  'a word in the inputs of 1 span in 200, newest 50',
  'more tokens than, most first, 50',
  'a number of its own more than, highest first, 50',
  'slower than, slowest first, 50',
  'count by an attribute of 1 span in 100',
  'tokens, costs and latency for each hour',
  'tokens and cost of one trace',
] as const;

export const longTraceQuestion = 'a trace of 2,000, whole';
