import app from "@/shared/i18n/en/app.json";
import chat from "@/shared/i18n/en/chat.json";
import reader from "@/shared/i18n/en/reader.json";

export default { ...app, ...chat, ...reader };
