import { PageHeader } from '../../components/PageHeader.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import styles from './ThreadsPage.module.css';

export function NoThreads({ projectId }: { projectId: string }) {
  return (
    <>
      <PageHeader title="No threads yet" />
      <div className={styles.start}>
        <p>
          A thread is a conversation: the calls that your program makes for one user, one turn after the other. Give the
          calls of a conversation the same thread, and they appear here.
        </p>
        <CodeBlock label="chat.py" text={firstThread(projectId)} />
        <p>
          With OpenTelemetry, set <code>gen_ai.conversation.id</code> on the spans of a conversation.
        </p>
      </div>
    </>
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
