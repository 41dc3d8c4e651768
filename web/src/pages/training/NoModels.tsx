import { StartPage } from '../../components/StartPage.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import styles from './NoModels.module.css';

/** How the first model of a project is trained. */
export function NoModels({ projectId }: { projectId: string }) {
  return (
    <StartPage title="No models yet">
      <p>Train a LoRA adapter on conversations, one per line: {'{"messages": […]}'}. The model appears here.</p>
      <CodeBlock
        label="Shell"
        title="Supervised, on the server's machine"
        text={`heddle train --project ${projectId} --model my-model --sft conversations.jsonl --hold-out 10% --learning-rate 1e-3`}
      />
      <p>Or train on chats of this project, with a score of them as the reward:</p>
      <CodeBlock
        label="Reinforcement learning"
        text={`heddle train --project ${projectId} --model my-model --from "op_name:heddle.chat.completions" --reward correct`}
      />
      <p className={styles.note}>
        OpenPipe ART and OpenAI's fine-tuning clients work as well, with the address of this server.
      </p>
    </StartPage>
  );
}
