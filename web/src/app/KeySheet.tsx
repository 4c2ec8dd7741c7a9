import { useT, type Key } from "@/shared/i18n/i18n";
import { keysAreOff } from "@/shared/lib/shortcuts";
import { Dialog } from "@/shared/ui/Dialog";
import { Note } from "@/shared/ui/Note";
import styles from "@/app/KeySheet.module.css";

const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";

const GROUPS: [Key, [string[], Key][]][] = [
  ["keys.everywhere", [[[MOD, "K"], "keys.k.commands"], [["?"], "keys.k.keys"]]],
  [
    "keys.notebook",
    [
      [["a"], "keys.k.add"],
      [["1", "2", "3"], "keys.k.columns"],
      [["j", "k"], "keys.k.rows"],
      [["Space"], "keys.k.use"],
      [["/"], "keys.k.box"],
      [["n"], "keys.k.new"],
    ],
  ],
  [
    "keys.answers",
    [
      [["Enter"], "keys.k.ask"],
      [["Shift", "Enter"], "keys.k.newline"],
      [["↑"], "keys.k.edit"],
      [["[", "]"], "keys.k.citations"],
      [["x"], "keys.k.check"],
      [["Enter"], "keys.k.open"],
      [["c"], "keys.k.copy"],
      [["s"], "keys.k.save"],
      [["Esc"], "keys.k.esc"],
    ],
  ],
  [
    "find.title",
    [
      [["/"], "keys.k.find_field"],
      [["j", "k"], "keys.k.results"],
      [["Enter"], "keys.k.find_open"],
    ],
  ],
  ["keys.reader", [[["Backspace"], "keys.k.back"], [["PgUp", "PgDn"], "keys.k.pages"], [["+", "−"], "keys.k.zoom"], [["f"], "keys.k.find"], [["Space"], "reader.keysPlay"], [["←", "→"], "reader.keysSkip"]]],
];

/** The sheet under `?`. */
export default function KeySheet({ onClose }: { onClose: () => void }) {
  const t = useT();
  return (
    <Dialog open onClose={onClose} title={t("keys.title")} size="large" testId="keys">
      {keysAreOff() ? (
        <div className={styles.off}>
          <Note icon="help">{t("keys.off")}</Note>
        </div>
      ) : null}
      {/* Nothing in it takes the focus, so the list itself does: on a small screen it is scrolled by keyboard. */}
      <div className={styles.groups} tabIndex={0} role="group" aria-label={t("keys.title")}>
        {GROUPS.map(([name, rows]) => (
          <section key={name}>
            <h3 className={styles.name}>{t(name)}</h3>
            <dl className={styles.rows}>
              {rows.map(([pressed, what]) => (
                <div key={what} className={styles.row}>
                  <dt>{t(what)}</dt>
                  <dd className={styles.keys}>
                    {pressed.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
