import app from "@/shared/i18n/en/app.json";
import chat from "@/shared/i18n/en/chat.json";
import keeping from "@/shared/i18n/en/keeping.json";
import reader from "@/shared/i18n/en/reader.json";
import search from "@/shared/i18n/en/search.json";

export default { ...app, ...chat, ...keeping, ...reader, ...search };
