import app from "@/shared/i18n/cs/app.json";
import assistants from "@/shared/i18n/cs/assistants.json";
import chat from "@/shared/i18n/cs/chat.json";
import keeping from "@/shared/i18n/cs/keeping.json";
import reader from "@/shared/i18n/cs/reader.json";
import search from "@/shared/i18n/cs/search.json";

export default { ...app, ...assistants, ...chat, ...keeping, ...reader, ...search };
