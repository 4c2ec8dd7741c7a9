export interface ReaderProps {
  notebookId: string;
  sourceId: string;
}

/** A source, opened at a passage. */
export function Reader({ notebookId, sourceId }: ReaderProps) {
  return <div data-testid="reader" data-notebook={notebookId} data-source={sourceId} />;
}
