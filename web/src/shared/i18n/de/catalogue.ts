import app from "@/shared/i18n/de/app.json";
import assistants from "@/shared/i18n/de/assistants.json";
import chat from "@/shared/i18n/de/chat.json";
import keeping from "@/shared/i18n/de/keeping.json";
import reader from "@/shared/i18n/de/reader.json";
import search from "@/shared/i18n/de/search.json";

export default { ...app, ...assistants, ...chat, ...keeping, ...reader, ...search };
