import { StartPage } from '../../components/StartPage.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';

export function NoThreads({ projectId }: { projectId: string }) {
  return (
    <StartPage title="No threads yet">
      <p>
        A thread is a conversation: the calls that your program makes for one user, one turn after the other. Give the
        calls of a conversation the same thread, and they appear here.
      </p>
      <CodeBlock label="chat.py" text={firstThread(projectId)} />
      <p>
        With OpenTelemetry, set <code>gen_ai.conversation.id</code> on the spans of a conversation.
      </p>
    </StartPage>
  );
}

function firstThread(projectId: string): string {
  return `import weave

weave.init("${projectId}")

@weave.op
def reply(message: str) -> str:
    return f"You said: {message}"

with weave.thread("conversation-1"):
    reply("Hello")
    reply("How are you?")`;
}
