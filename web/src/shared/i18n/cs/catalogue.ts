import app from "@/shared/i18n/cs/app.json";
import chat from "@/shared/i18n/cs/chat.json";
import keeping from "@/shared/i18n/cs/keeping.json";
import reader from "@/shared/i18n/cs/reader.json";
import search from "@/shared/i18n/cs/search.json";

export default { ...app, ...chat, ...keeping, ...reader, ...search };
