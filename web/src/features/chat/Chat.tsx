export interface ChatProps {
  notebookId: string;
  conversationId?: string | undefined;
  empty?: React.ReactNode;
}

/** The conversation with a notebook. */
export function Chat({ notebookId }: ChatProps) {
  return <div data-testid="chat" data-notebook={notebookId} />;
}
