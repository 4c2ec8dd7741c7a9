"""What was said in a recording as passages with their times, and whether a transcript says anything at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sourcebook_core.providers.speech import Segment, Transcript
from sourcebook_core.store.passages import Passage
from sourcebook_ingest.words import count_words

LEAST_MS, MOST_MS = 30_000, 60_000  # of a passage (issue 3): long enough to be found by its meaning, short enough to be heard
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*\s*$")
_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0eff\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_SENTENCES = re.compile(r"[.!?…。！？\n♪]+")
# The same words again and again, at least so often and so many in all, are a model's loop on silence (B22).
_LEAST_TIMES, _LEAST_WORDS, _LONGEST_LOOP = 4, 8, 15
# What speech models write when they hear nothing: the ends of films they learnt from. As words, without signs.
_STOCK = frozenset(
    {
        "you", "bye", "thank you", "thanks", "thank you very much", "thank you so much", "thank you for watching", "thanks for watching",
        "thank you for watching and see you next time", "please subscribe", "like and subscribe", "please subscribe to my channel",
        "subtitles by the amara org community", "subtitles by amara org", "music", "applause", "silence", "blank audio", "inaudible",
        "vielen dank", "vielen dank fürs zuschauen", "danke fürs zuschauen", "untertitel der amara org community",
        "untertitel im auftrag des zdf für funk 2017", "untertitelung des zdf 2020", "musik", "merci", "merci d avoir regardé cette vidéo",
        "sous titres réalisés par la communauté d amara org", "sous titrage st 501", "sous titrage société radio canada",
        "gracias", "gracias por ver el video", "gracias por ver", "subtítulos realizados por la comunidad de amara org",
        "titulky vytvořil johnyx", "titulky vytvořil johny x", "děkuji za pozornost", "grazie", "grazie per la visione",
        "sottotitoli creati dalla comunità amara org", "legendas pela comunidade amara org", "продолжение следует",
        "субтитры сделал dimatorzok", "субтитры создавал dimatorzok", "спасибо за просмотр",
        "ご 視 聴 あ り が と う ご ざ い ま し た", "字 幕 由 amara org 社 区 提 供", "谢 谢 观 看",
        "請 不 吝 點 贊 訂 閱 轉 發 打 賞 支 持 明 鏡 與 點 點 欄 目",
        "시청해주셔서 감사합니다",
    }
)  # fmt: skip


def says_nothing(text: str) -> bool:
    """Whether a transcript holds no word, or only what models write on silence: a stock phrase, or one phrase over and over."""
    words = _WORD.findall(text.casefold())
    if not words:
        return True
    sentences = (" ".join(_WORD.findall(one)) for one in _SENTENCES.split(text.casefold()))
    said = [one for one in sentences if one]
    if all(one in _STOCK for one in said) or " ".join(words) in _STOCK:
        return True
    loop = _period(words)
    return len(words) >= _LEAST_WORDS and loop <= _LONGEST_LOOP and len(words) >= _LEAST_TIMES * loop


def _period(words: Sequence[str]) -> int:
    """Length of the shortest run of words of whose repetitions all of them are (Knuth, Morris, Pratt 1977: the border table)."""
    border = [0] * len(words)
    for place in range(1, len(words)):
        length = border[place - 1]
        while length and words[place] != words[length]:
            length = border[length - 1]
        border[place] = length + (words[place] == words[length])
    return len(words) - border[-1]


def passages(heard: Transcript, *, first: int, start_ms: int, end_ms: int) -> list[Passage]:
    """The passages of what was heard from `start_ms` to `end_ms` of a recording, numbered from `first`.

    With times: pieces of 30 to 60 s that end with a sentence where one ends there. Without: one passage without times (S1-10).
    Each remembers in `meta` how far the recording was heard with it.
    """
    if heard.segments is None:
        text = heard.text.strip()
        return [_passage(first, text, None, None, end_ms)] if text else []
    made: list[Passage] = []
    for group in _groups(one for one in heard.segments if one.text.strip()):
        text = _joined(group) + "\n"  # two passages must not run together in the whole text
        begins = min(start_ms + group[0].start_ms, end_ms)
        ends = min(start_ms + max(one.end_ms for one in group), end_ms)
        made.append(_passage(first + len(made), text, begins, max(begins, ends), end_ms))
    return made


def _passage(ordinal: int, text: str, start_ms: int | None, end_ms: int | None, heard_ms: int) -> Passage:
    meta = {"words": count_words(text), "heard_ms": heard_ms}
    return Passage(ordinal, text, method="speech", meta=meta, start_ms=start_ms, end_ms=end_ms)


def _groups(segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    group: list[Segment] = []
    for one in segments:
        if group and one.end_ms - group[0].start_ms > MOST_MS:
            yield group
            group = []
        group.append(one)
        if one.end_ms - group[0].start_ms >= LEAST_MS and _SENTENCE_END.search(one.text):
            yield group
            group = []
    if group:
        yield group


def _joined(group: Sequence[Segment]) -> str:
    """Their texts in order; a blank between two that have none, but in scripts that are written without."""
    text = ""
    for one in group:
        said = one.text
        is_apart = not text or text[-1].isspace() or said[:1].isspace() or _WITHOUT_BLANKS.match(said) or _WITHOUT_BLANKS.match(text[-1])
        text += said if is_apart else f" {said}"
    return text.strip()
