import { lazy } from "react";

interface EquationProps {
  text: string;
  isBlock: boolean;
}
const Plain = ({ text }: EquationProps) => <code>{text}</code>;

/** The equation drawer, loaded with the first equation; without it the equation stands as it was written. */
export const LazyEquation = lazy(() => import("./Equation").catch(() => ({ default: Plain })));
