import app from "@/shared/i18n/es/app.json";
import chat from "@/shared/i18n/es/chat.json";
import keeping from "@/shared/i18n/es/keeping.json";
import reader from "@/shared/i18n/es/reader.json";
import search from "@/shared/i18n/es/search.json";

export default { ...app, ...chat, ...keeping, ...reader, ...search };
