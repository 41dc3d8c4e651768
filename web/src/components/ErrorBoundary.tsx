import { Component, type ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { Empty } from '../ui/Status.tsx';

/** Shows a defect of a part of the page in its place; the rest stays usable. A new `resetKey` tries again. */
export class ErrorBoundary extends Component<
  { children: ReactNode; resetKey?: string },
  { error: unknown; failedKey: string | undefined }
> {
  override state = { error: null as unknown, failedKey: undefined as string | undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(): void {
    const { error, failedKey } = this.state;
    if (error !== null && failedKey === undefined) this.setState({ failedKey: this.props.resetKey ?? '' });
    else if (error !== null && failedKey !== (this.props.resetKey ?? '')) {
      this.setState({ error: null, failedKey: undefined });
    }
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === null ? this.props.children : <Defect error={error} />;
  }
}

/** A defect of the page itself. */
export function Defect({ error }: { error: unknown }) {
  return (
    <Empty
      icon="error"
      title="This part of the page failed"
      actions={
        <Button icon="refresh" onClick={() => location.reload()}>
          Reload
        </Button>
      }
    >
      {error instanceof Error ? error.message : String(error)}
    </Empty>
  );
}
