import type { CompiledGrammar, GrammarCompiler, GrammarMatcher } from '@mlc-ai/web-xgrammar';
import { memoryLimitMb, serveIsolated } from '../../util/workers/serve-isolated.ts';
import { FatalError } from '../../util/workers/serve-requests.ts';
import type { Constraint } from './constraint.ts';
import type { GrammarReply, GrammarRequest, GrammarVocabulary, StateReply } from './grammar-requests.ts';
import { captureReasons, limitWasmMemory, loadXgrammar } from './xgrammar.ts';

/** The process that runs the grammar library: vocabularies, compiled grammars, and a matcher for each sequence. */
const grammarsMax = 64;

type Session = { matcher: GrammarMatcher; grammar: string; lastMask: Int32Array | null };

const memoryWasRefused = limitWasmMemory(memoryLimitMb() * 2 ** 20);
const reason = captureReasons();
const { TokenizerInfo, GrammarCompiler: Compiler, GrammarMatcher: Matcher } = loadXgrammar();
/** Used only for parsing: a rejected grammar leaves it unusable, and a new instance is cheaper than a new process. */
let parser = loadXgrammar();

const compilers = new Map<string, GrammarCompiler>();
/** By vocabulary and constraint, least recently used first. */
const grammars = new Map<string, { compiled: CompiledGrammar; users: number }>();
const sessions = new Map<number, Session>();

// The library loads on its first call. Loading must not count towards the time limit of the first request.
await parse({ kind: 'ebnf', grammar: 'root ::= "a"' });

serveIsolated(async (request: GrammarRequest): Promise<GrammarReply> => {
  try {
    return await handle(request);
  } catch (error) {
    // After an exception, the library gives wrong answers for valid grammars.
    const why = reasonOf(error);
    throw request.kind === 'parse' ? new Error(why) : new FatalError(why);
  }
});

/** The library prints reasons instead of adding them to exceptions, and may throw plain numbers. */
function reasonOf(error: unknown): string {
  const printed = reason();
  const isTooLarge = memoryWasRefused();
  if (printed !== null) return printed;
  if (isTooLarge) return `it needs more than ${memoryLimitMb()} MB of memory`;
  const isTooDeep =
    error instanceof RangeError || (error instanceof WebAssembly.RuntimeError && /out of bounds/.test(error.message));
  if (isTooDeep) return 'it is nested too deep for the stack of the grammar library';
  return 'the grammar library gives up on it without a reason; it may be nested too deep or too large';
}

async function handle(request: GrammarRequest): Promise<GrammarReply> {
  const startedAt = processorMs();
  switch (request.kind) {
    case 'vocabulary':
      return addVocabulary(request.vocabulary);
    case 'parse':
      return parse(request.constraint);
    case 'compile':
      await compile(request.vocabulary, request.constraint);
      return processorMs() - startedAt;
    case 'open':
      return stateOf(await open(request), true, startedAt);
    case 'step': {
      const session = sessions.get(request.session)!;
      // Once the output is complete, the library accepts no token and aborts if asked for a mask.
      const isAccepted = !session.matcher.isTerminated() && session.matcher.acceptToken(request.token);
      return stateOf(session, isAccepted, startedAt);
    }
    case 'close':
      return close(request.session);
    default:
      return request satisfies never;
  }
}

/** Checks whether the library can read a constraint. This needs no vocabulary. */
async function parse(constraint: Constraint): Promise<null> {
  const { fromEBNF, fromStructuralTag } = parser.Grammar;
  try {
    const grammar = await (constraint.kind === 'ebnf'
      ? fromEBNF(constraint.grammar)
      : fromStructuralTag(constraint.tag));
    grammar.dispose();
    return null;
  } catch (error) {
    parser = loadXgrammar();
    throw error;
  }
}

async function addVocabulary({ key, tokens, coding, stopTokenIds }: GrammarVocabulary): Promise<null> {
  if (compilers.has(key)) return null;
  const info = await TokenizerInfo.createTokenizerInfo([...tokens], coding, false, tokens.length, [...stopTokenIds]);
  compilers.set(key, await Compiler.createGrammarCompiler(info, false));
  return null;
}

async function compile(vocabulary: string, constraint: Constraint): Promise<string> {
  const key = JSON.stringify([vocabulary, constraint]);
  const known = grammars.get(key);
  if (known) {
    grammars.delete(key);
    grammars.set(key, known);
    return key;
  }
  const compiler = compilers.get(vocabulary);
  if (!compiler) throw new Error('the vocabulary is not known');
  grammars.set(key, { compiled: await compileWith(compiler, constraint), users: 0 });
  forgetGrammars();
  return key;
}

async function compileWith(compiler: GrammarCompiler, constraint: Constraint): Promise<CompiledGrammar> {
  switch (constraint.kind) {
    case 'ebnf':
      return compiler.compileGrammar(constraint.grammar);
    case 'structural_tag':
      return compiler.compileStructuralTag(constraint.tag);
    default:
      return constraint satisfies never;
  }
}

async function open({
  session: id,
  vocabulary,
  constraint,
  accepted,
}: GrammarRequest & { kind: 'open' }): Promise<Session> {
  const key = await compile(vocabulary, constraint);
  const grammar = grammars.get(key)!;
  const matcher = await Matcher.createGrammarMatcher(grammar.compiled);
  grammar.users++;
  const session = { matcher, grammar: key, lastMask: null };
  sessions.set(id, session);
  for (const token of accepted) matcher.acceptToken(token);
  return session;
}

async function stateOf(session: Session, isAccepted: boolean, startedAt: number): Promise<StateReply> {
  const { matcher, lastMask } = session;
  const isComplete = matcher.isTerminated();
  const found = isComplete ? null : await matcher.getNextTokenBitmask();
  session.lastMask = found;
  const mask = found && lastMask && isSame(found, lastMask) ? null : found;
  return { isAccepted, isComplete, mask, ms: processorMs() - startedAt };
}

/** Unlike wall-clock time, it does not depend on other processes. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function isSame(a: Int32Array, b: Int32Array): boolean {
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function close(id: number): null {
  const session = sessions.get(id);
  if (!session) return null;
  sessions.delete(id);
  session.matcher.dispose();
  grammars.get(session.grammar)!.users--;
  return null;
}

function forgetGrammars(): void {
  for (const [key, { compiled, users }] of grammars) {
    if (grammars.size <= grammarsMax) return;
    if (users > 0) continue;
    grammars.delete(key);
    compiled.dispose();
  }
}
