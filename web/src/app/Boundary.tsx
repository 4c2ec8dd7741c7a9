import { Component, type ReactNode } from "react";
import { t } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Note } from "@/shared/ui/Note";
import styles from "@/app/Session.module.css";

/** Where a screen fails to draw or to load (an old tab after an upgrade): words and a way on, not a white page. */
export class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <main id="main" className={styles.trouble} data-testid="boundary">
        <Note tone="error" icon="warning">
          <p>{t("error.ours")}</p>
          <Button look="link" onClick={() => location.reload()}>
            {t("ui.try_again")}
          </Button>
        </Note>
      </main>
    );
  }
}
