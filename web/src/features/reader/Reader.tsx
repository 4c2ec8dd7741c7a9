import { lazy, Suspense } from "react";

export interface ReaderProps {
  notebookId: string;
  sourceId: string;
}

const ReaderView = lazy(() => import("./components/ReaderView"));

/** A source, opened at the place the address names. */
export function Reader(props: ReaderProps) {
  return (
    <Suspense fallback={<div data-testid="reader" />}>
      <ReaderView key={props.sourceId} {...props} />
    </Suspense>
  );
}
