import styles from "@/app/Wordmark.module.css";

/** The name with its sign: a page with a checked line. */
export function Wordmark({ short = false }: { short?: boolean }) {
  return (
    <span className={styles.wordmark}>
      <svg className={styles.sign} viewBox="0 0 28 28" width="28" height="28" aria-hidden="true" focusable="false">
        <rect width="28" height="28" rx="7" />
        <path d="M8 8.500h8M8 13h5M8 17.500h3" />
        <path d="m14.200 17.500 2.600 2.600 4.400-5.800" />
      </svg>
      <span className={short ? styles.short : undefined}>Sourcebook</span>
    </span>
  );
}
