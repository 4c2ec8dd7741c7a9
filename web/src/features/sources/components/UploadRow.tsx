import { forgetUpload, sendAgain, type Upload } from "@/features/sources/lib/uploads";
import { reasonOf } from "@/features/sources/lib/reasons";
import { bytes, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Icon } from "@/shared/ui/Icon";
import { IconButton } from "@/shared/ui/IconButton";
import { Progress } from "@/shared/ui/Progress";
import row from "@/features/sources/components/SourceRow.module.css";
import styles from "@/features/sources/components/UploadRow.module.css";

/** A file, link or text that is not a source yet: there at once with its name, then sent, or refused with its reason. */
export function UploadRow({ upload }: { upload: Upload }) {
  const t = useT();
  const isOver = upload.state === "refused" || upload.state === "broken";
  return (
    <li className={row.row} data-testid="upload-row" data-state={upload.state}>
      <span className={styles.icon}>
        <Icon name={isOver ? "warning" : "upload"} size={16} />
      </span>
      <div className={row.body}>
        <p className={styles.name} dir="auto">
          {upload.name}
        </p>
        {isOver && upload.error ? (
          <p className={styles.reason}>
            <strong className={styles.word}>{t("status.refused")}</strong> {reasonOf(upload.error.code, upload.error.message)}
          </p>
        ) : upload.state === "same" ? (
          <p className={styles.meta}>{t("status.same_as", { name: upload.sameAs ?? "" })}</p>
        ) : (
          <p className={styles.meta}>{progressText(upload, t)}</p>
        )}
        {upload.state === "broken" ? (
          <p>
            <Button look="link" small onClick={() => sendAgain(upload.key)}>
              {t("status.send_again")}
            </Button>
          </p>
        ) : null}
        {upload.state === "sending" && upload.size ? <Progress done={upload.sent} of={upload.size} label={upload.name} /> : null}
      </div>
      <IconButton small icon="close" label={isOver || upload.state === "same" ? t("status.forget") : t("ui.cancel")} onClick={() => forgetUpload(upload.key)} />
    </li>
  );
}

function progressText(upload: Upload, t: ReturnType<typeof useT>): string {
  if (upload.state === "waiting" && upload.size !== null) return t("status.to_send", { size: bytes(upload.size) });
  if (upload.state === "sending" && upload.size) return t("status.sending", { sent: bytes(upload.sent), total: bytes(upload.size) });
  return upload.state === "waiting" ? t("status.waiting") : t("status.sent");
}
