import { useCallback, useEffect, useRef, useState } from 'react';
import { streamLines } from '../../api/client.ts';
import type { ChatMessage } from '../../features/chat/chat-messages.ts';
import { type Answer, addLine, newAnswer } from './answer.ts';

export type Message = ChatMessage;
/** A text, a text with other parts, or null to answer the messages before it as they are. */
export type Content = string | unknown[] | null;
export type Turn = { user: Content; model: string; answer: Answer };
type Request = { projectId: string; model: string; before: Message[]; parameters: Record<string, unknown> };

const redrawMs = 40;

/** The conversation with one model. `send` answers a message, `retry` the last one again. */
export function useChat() {
  const [turns, setTurns] = useState<Turn[]>([]);
  const current = useRef<Turn[]>(turns);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const show = useCallback((next: Turn[]) => {
    current.current = next;
    setTurns(next);
  }, []);

  const send = useCallback(
    async (user: Content, request: Request, earlier = current.current) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const answer = newAnswer();
      const draw = () => {
        if (running.current !== controller) return;
        show([...earlier, { user, model: request.model, answer: { ...answer, tokens: [...answer.tokens] } }]);
      };
      draw();
      await receive(answer, { ...request, messages: messagesOf(request.before, earlier, user) }, controller, draw);
      draw();
      if (running.current === controller) running.current = null;
    },
    [show],
  );

  const retry = useCallback(
    (request: Request) => {
      const last = current.current.at(-1);
      if (last) void send(last.user, request, current.current.slice(0, -1));
    },
    [send],
  );
  const stop = useCallback(() => running.current?.abort(), []);
  const clear = useCallback(() => {
    running.current?.abort();
    running.current = null;
    show([]);
  }, [show]);
  const isBusy = turns.some(({ answer: { state } }) => state === 'waiting' || state === 'streaming');
  return { turns, isBusy, send, retry, stop, clear };
}

function messagesOf(before: Message[], turns: Turn[], user: Content): Message[] {
  return [...before, ...messagesOfTurns(turns), ...messageOf(user)];
}

export function messageOf(content: Content): Message[] {
  return content === null ? [] : [{ role: 'user', content }];
}

/** Failed answers are not sent back. */
export function messagesOfTurns(turns: Turn[]): Message[] {
  return turns.flatMap(({ user, answer }): Message[] =>
    answer.state === 'failed' ? [] : [...messageOf(user), { role: 'assistant', content: answer.content }],
  );
}

/** Fills an answer while it arrives. */
async function receive(
  answer: Answer,
  { projectId, model, messages, parameters }: Omit<Request, 'before'> & { messages: Message[] },
  { signal }: AbortController,
  draw: () => void,
): Promise<void> {
  const startedAt = performance.now();
  const body = { project_id: projectId, inputs: { model, messages, ...parameters }, source: 'playground' };
  let drawnAt = startedAt;
  try {
    for await (const line of streamLines('POST /completions/create_stream', { body }, { signal })) {
      addLine(answer, line);
      const now = performance.now();
      if (answer.firstMs === null && hasBegun(answer)) {
        answer.firstMs = now - startedAt;
        answer.state = 'streaming';
      }
      if (now - drawnAt < redrawMs) continue;
      drawnAt = now;
      draw();
    }
    answer.state = answer.error === null ? 'done' : 'failed';
  } catch (error) {
    answer.state = signal.aborted ? 'stopped' : 'failed';
    if (!signal.aborted) answer.error = error instanceof Error ? error.message : String(error);
  }
  answer.wholeMs = performance.now() - startedAt;
}

function hasBegun({ content, reasoning, toolCalls }: Answer): boolean {
  return content !== '' || reasoning !== '' || toolCalls.length > 0;
}
