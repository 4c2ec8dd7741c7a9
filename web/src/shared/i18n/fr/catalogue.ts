import app from "@/shared/i18n/fr/app.json";
import chat from "@/shared/i18n/fr/chat.json";
import reader from "@/shared/i18n/fr/reader.json";

export default { ...app, ...chat, ...reader };
