"""Questions that no source answers, and passages of many matters: what an embedding model makes of nothing at all.

Both texts are ours. No passage is about what a question asks, so the cosines between them show how near this model puts things that
have nothing to do with each other. Evaluation asks the same questions over its sets.
"""

from __future__ import annotations

WEAK = 0.07  # of the way from a floor to 1: a passage that lies no nearer is called weak (docs/evaluation.md)

# No words, nonsense, small talk, things of the day: in the languages of the page and some others.
QUESTIONS = (
    "xyzzy plugh frobnicate", "asdf qwer zxcv", "❤️", "blorptang vix morno quell", "lorem ipsum dolor sit amet", "hello there",
    "what should I eat tonight?", "is it going to rain tomorrow?", "tell me a joke", "who won the match last night?",
    "what is the meaning of life?", "write me a birthday poem", "wie geht es dir heute?", "was läuft heute Abend im Fernsehen?",
    "jak se dnes máš?", "kde je nejlepší pizza ve městě?", "¿qué tal el fin de semana?", "cuéntame un chiste",
    "quel temps fera-t-il demain ?", "bonjour, ça va ?", "как дела?", "расскажи мне сказку", "你今天过得怎么样？", "今晚吃什么好？",
)  # fmt: skip

PASSAGES = (
    "The roof of the reading room rests on twelve cast-iron columns, each poured in one piece. When the building was restored, four of "
    "them were found to be cracked at the base and were replaced by steel ones of the same shape.",
    "Members pay the yearly fee by the end of March. Whoever joins after the first of July pays half. The treasurer sends one reminder; "
    "after that the board decides about the membership.",
    "A queen bee lays up to two thousand eggs a day in early summer. Worker bees live about six weeks, while those born in autumn see "
    "the colony through the winter.",
    "To replace the filter, switch the pump off and close both valves. Turn the housing to the left, take the old cartridge out, and put "
    "the new one in with the arrow pointing up.",
    "The samples were centrifuged at 3,000 g for ten minutes and kept at minus eighty degrees. Concentrations were measured twice; values "
    "that differed by more than five percent were left out.",
    "Der Vertrag verlängert sich um ein Jahr, wenn er nicht drei Monate vor seinem Ende gekündigt wird. Die Kündigung bedarf der "
    "Schriftform. Für offene Rechnungen werden Zinsen von fünf Prozent berechnet.",
    "Im Mittelalter führte der Salzweg über den Pass. An der Zollstelle wurde jedes Fass gewogen, und die Hälfte der Abgabe blieb im Tal.",
    "Knihovna půjčuje mapy jen k nahlédnutí ve studovně. Kdo potřebuje kopii, vyplní žádost a zaplatí podle sazebníku.",
    "Krystaly rostou z roztoku pomalu; čím chladnější je nádoba, tím menší a pravidelnější vznikají.",
    "El ayuntamiento publica las actas de cada sesión en un plazo de diez días. Las reclamaciones se presentan por escrito en el registro.",
    "La turbina gira a trescientas revoluciones por minuto y alimenta dos generadores situados en la planta baja de la central.",
    "Les archives conservent les plans du port depuis 1840. Certains documents, trop fragiles, ne sont consultables que sous forme "
    "numérisée.",
    "Le logiciel enregistre chaque modification dans un journal. En cas de panne, il suffit de rejouer ce journal à partir de la "
    "dernière copie.",
    "Мост был построен за четыре года. Его опоры стоят на скальном основании на глубине двадцати метров ниже уровня реки.",
    "本机首次使用前请充电四小时。指示灯由红变绿表示电池已充满，此时可以拔下电源线。",
)  # fmt: skip
