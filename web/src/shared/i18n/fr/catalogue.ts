import app from "@/shared/i18n/fr/app.json";
import chat from "@/shared/i18n/fr/chat.json";
import keeping from "@/shared/i18n/fr/keeping.json";
import reader from "@/shared/i18n/fr/reader.json";
import search from "@/shared/i18n/fr/search.json";

export default { ...app, ...chat, ...keeping, ...reader, ...search };
