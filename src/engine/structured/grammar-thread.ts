import type { CompiledGrammar, GrammarCompiler, GrammarMatcher } from '@mlc-ai/web-xgrammar';
import { serve } from '../isolation/serve.ts';
import type { Constraint } from './constraint.ts';
import type { GrammarRequest, GrammarVocabulary, StepReply } from './grammar-requests.ts';
import { captureReasons, limitWasmMemory, loadXgrammar } from './xgrammar.ts';

/** The thread that runs the grammar library: vocabularies, compiled grammars, and a matcher for each sequence. */
const memoryBytesMax = 2 ** 31;
const grammarsMax = 64;

limitWasmMemory(memoryBytesMax);
const reason = captureReasons();
const { TokenizerInfo, GrammarCompiler: Compiler, GrammarMatcher: Matcher, Testings } = loadXgrammar();
/** An instance for parsing alone: what it refuses poisons it, and another is far cheaper than another thread. */
let parser = loadXgrammar();

const compilers = new Map<string, GrammarCompiler>();
/** By vocabulary and constraint, the least recently used first. */
const grammars = new Map<string, { compiled: CompiledGrammar; users: number }>();
const sessions = new Map<number, { matcher: GrammarMatcher; grammar: string }>();

serve(async (request: GrammarRequest) => {
  try {
    return await handle(request);
  } catch (error) {
    // The library's own exceptions say nothing; what it printed does. It may also throw bare numbers.
    const thrown = error instanceof Error ? error.message : 'the grammar library refuses it without a reason';
    throw new Error(reason() ?? thrown);
  }
});

function handle(request: GrammarRequest): unknown {
  switch (request.kind) {
    case 'vocabulary':
      return addVocabulary(request.vocabulary);
    case 'parse':
      return parse(request.constraint);
    case 'compile':
      return compile(request.vocabulary, request.constraint).then(() => null);
    case 'open':
      return open(request);
    case 'mask':
      return sessions.get(request.session)!.matcher.getNextTokenBitmask();
    case 'step':
      return step(sessions.get(request.session)!.matcher, request.token);
    case 'rollback':
      return sessions.get(request.session)!.matcher.rollBack(request.tokens);
    case 'jump':
      return sessions.get(request.session)!.matcher.findJumpForwardString();
    case 'close':
      return close(request.session);
    default:
      return request satisfies never;
  }
}

/** Whether the library understands a constraint at all, which takes no vocabulary. */
async function parse(constraint: Constraint): Promise<void> {
  const { fromEBNF, fromStructuralTag, fromJSONSchema } = parser.Grammar;
  try {
    const grammar = await (constraint.kind === 'ebnf'
      ? fromEBNF(constraint.grammar)
      : constraint.kind === 'structural_tag'
        ? fromStructuralTag(constraint.tag)
        : fromJSONSchema(constraint.schema));
    grammar.dispose();
  } catch (error) {
    parser = loadXgrammar();
    throw error;
  }
}

async function addVocabulary({ key, tokens, coding, stopTokenIds }: GrammarVocabulary): Promise<void> {
  if (compilers.has(key)) return;
  const info = await TokenizerInfo.createTokenizerInfo([...tokens], coding, false, tokens.length, [...stopTokenIds]);
  compilers.set(key, await Compiler.createGrammarCompiler(info, false));
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
    case 'json': {
      const { schema, whitespace } = constraint;
      if (whitespace === 'any') return compiler.compileJSONSchema(schema, true);
      if (whitespace === 'fixed') return compiler.compileJSONSchema(schema, false, -1, [', ', ': ']);
      const grammar = await Testings._jsonSchemaToEBNF(schema, true);
      return compiler.compileGrammar(grammar.replaceAll('[ \\n\\t]*', `(${whitespace.ebnf})`));
    }
    default:
      return constraint satisfies never;
  }
}

async function open({
  session,
  vocabulary,
  constraint,
  accepted,
}: GrammarRequest & { kind: 'open' }): Promise<Int32Array> {
  const key = await compile(vocabulary, constraint);
  const grammar = grammars.get(key)!;
  const matcher = await Matcher.createGrammarMatcher(grammar.compiled);
  grammar.users++;
  sessions.set(session, { matcher, grammar: key });
  for (const token of accepted) matcher.acceptToken(token);
  return matcher.getNextTokenBitmask();
}

async function step(matcher: GrammarMatcher, token: number): Promise<StepReply> {
  // After the end the library aborts when asked for a mask, and takes no token.
  if (matcher.isTerminated()) return { accepted: false, terminated: true, mask: null };
  const accepted = matcher.acceptToken(token);
  const terminated = matcher.isTerminated();
  return { accepted, terminated, mask: terminated ? null : await matcher.getNextTokenBitmask() };
}

function close(session: number): void {
  const open = sessions.get(session);
  if (!open) return;
  sessions.delete(session);
  open.matcher.dispose();
  grammars.get(open.grammar)!.users--;
}

function forgetGrammars(): void {
  for (const [key, { compiled, users }] of grammars) {
    if (grammars.size <= grammarsMax) return;
    if (users > 0) continue;
    grammars.delete(key);
    compiled.dispose();
  }
}
