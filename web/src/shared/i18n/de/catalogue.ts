import app from "@/shared/i18n/de/app.json";
import chat from "@/shared/i18n/de/chat.json";
import keeping from "@/shared/i18n/de/keeping.json";
import reader from "@/shared/i18n/de/reader.json";
import search from "@/shared/i18n/de/search.json";

export default { ...app, ...chat, ...keeping, ...reader, ...search };
