import { CodeBlock } from '../../ui/CodeBlock.tsx';

type AboutGatesProps = {
  projectId: string;
  suite: string | undefined;
  /** Whether there is no suite for gates yet. */
  isFirst: boolean;
};

/** What a gate is, in two sentences, and how one is started. */
export function AboutGates({ projectId, suite = 'my-suite', isFirst }: AboutGatesProps) {
  return (
    <>
      <p>
        A gate compares a candidate model with the incumbent on a frozen suite, thread by thread, until the evidence
        decides: promote, reject, or not enough evidence. Looking at it while it runs does not make a wrong promotion
        more likely, and its verdict is signed.
      </p>
      {isFirst && (
        <p>
          First freeze a dataset as a suite: its rows are kept out of training from then on. Then start a gate here, or
          with this command:
        </p>
      )}
      <CodeBlock
        label="Shell"
        text={[
          `heddle gate start --project ${projectId} --suite ${suite}`,
          '--candidate new-model --incumbent old-model',
          '--scorer exact_match --target exact_match --gain 0.05',
        ].join(' \\\n  ')}
      />
    </>
  );
}
