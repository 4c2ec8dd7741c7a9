/** Zoom of the pages: 1 is the width of the column. */

import { useMemo, useState } from "react";

const STEPS = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3];

export interface Zoom {
  readonly value: number;
  readonly in: (() => void) | null;
  readonly out: (() => void) | null;
  readonly fit: () => void;
}

export function useZoom(): Zoom {
  const [value, setValue] = useState(1);
  return useMemo(() => {
    const at = STEPS.indexOf(value);
    const next = STEPS[at + 1];
    const before = STEPS[at - 1];
    return {
      value,
      in: next === undefined ? null : () => setValue(next),
      out: before === undefined ? null : () => setValue(before),
      fit: () => setValue(1),
    };
  }, [value]);
}
