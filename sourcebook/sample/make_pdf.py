"""Draws the sample's PDF from the text below; run it after changing the text (needs reportlab, a development package)."""

from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer

TITLE = "How answers are checked"
PAGES: list[tuple[str, list[str]]] = [
    (
        "1. From a question to an answer",
        [
            "This short paper describes what Sourcebook does between a question and an answer, and what its marks can and cannot tell you.",
            "A question is searched in two ways at once. The first way is by words: passages that share rare words with the question "
            "come first, by a formula known as BM25. The second way is by meaning: the question and every passage are turned into "
            "vectors, and the passages whose vectors point in nearly the same direction come first. Both lists are merged by their "
            "positions and not by their scores, because the scores of two different methods cannot be compared.",
            "Passages that are too far from the question are dropped. How far is too far is a number that belongs to the embedding "
            "model; for the model that comes with Sourcebook it is a cosine of 0.31. When nothing is near enough, Sourcebook says so "
            "and shows the closest passages, clearly marked as no answer.",
            "At most 8 passages are handed to the writing model. They are wrapped in fences that change with every request, and the "
            "model is told that what stands inside is data and never an instruction.",
        ],
    ),
    (
        "2. How a citation is checked",
        [
            "Sourcebook checks each citation after the answer is written, without asking a model. For every statement and every "
            "number in brackets behind it, it looks for the sentences of the cited passage that carry the statement best. These "
            "sentences become the quote, so a quote is always the source's own words and never the model's.",
            "Four comparisons decide the verdict. The numbers of the statement must stand in the quoted passage. The names of the "
            "statement must stand there too. The statement and the passage must agree in polarity and in caution: if the source says "
            "that something may happen, the answer must not say that it will. And most content words of the statement must be "
            "found in the passage.",
            "If all four hold, the mark is <i>Found in source</i>. If the numbers are different, the mark is <i>Number differs</i>, "
            "whatever else was found. If something is missing, or if the source is more careful than the answer, the mark is "
            "<i>Partly found</i>, and the card says which words are missing. If hardly anything is found, the mark is <i>Not found in "
            "source</i>.",
            "A mark that names no passage of this answer is removed, and so is every link and every picture: an answer can contain "
            "no link but its own marks.",
        ],
    ),
    (
        "3. Numbers get a check of their own",
        [
            "Numbers are what readers copy. Sourcebook therefore checks every number of an answer a second time, against everything "
            "that the model was given. A number that stands in no passage and not in the question is listed under the answer as "
            "not found, even when its sentence carries no citation at all.",
            "The check knows that one thousand two hundred can be written as 1,200, as 1.200 and as 1 200, depending on the "
            "language. It accepts a rounded number: if the source says 14.19, the answer may say 14.2. It does not accept a sum, a "
            "difference or a percentage that the model worked out by itself.",
            "The check does not know what a number belongs to. If a source gives two prices and the answer exchanges them, both "
            "numbers are found. The quote on the card shows you the sentence, and reading it takes a second.",
        ],
    ),
    (
        "4. What a mark does not say",
        [
            "A mark says what was compared. It does not say that the source is right, that it is the best source, or that nothing was "
            "left out. A source that is wrong gives wrong answers with good marks.",
            "A statement in one language and a passage in another share few words. For such a pair Sourcebook compares their meaning by "
            "vectors, and it compares numbers and names as usual. Where no embedding model is available, the mark stays at "
            "<i>Not checked yet</i>.",
            "When a source is removed from the notebook, the citations that point to it stay in old answers with a struck-through "
            "number and the words <i>Source removed</i>. They are never pointed at another source.",
            "When a source is read again, old answers keep pointing at the reading that they were made from. The reader then shows a "
            "line with both dates and offers to look for the quote in the new text.",
        ],
    ),
]


def build(path: Path) -> None:
    """Write the PDF: A4, one section a page, an outline entry for each."""
    heading = ParagraphStyle("heading", fontName="Times-Bold", fontSize=16, leading=21, spaceAfter=5 * mm)
    title = ParagraphStyle("title", parent=heading, fontSize=22, leading=28, spaceAfter=10 * mm)
    body = ParagraphStyle("body", fontName="Times-Roman", fontSize=11.5, leading=16.5, spaceAfter=4 * mm)
    story: list[object] = [Paragraph(TITLE, title)]
    for number, (section, paragraphs) in enumerate(PAGES):
        if number:
            story.append(PageBreak())
        story.append(Paragraph(f'<a name="s{number}"/>{section}', heading))
        story += [Paragraph(text, body) for text in paragraphs]
        story.append(Spacer(1, 2 * mm))
    doc = SimpleDocTemplate(
        str(path), pagesize=A4, title=TITLE, author="The Sourcebook authors", leftMargin=32 * mm, rightMargin=32 * mm,
        topMargin=30 * mm, bottomMargin=28 * mm, invariant=1,
    )  # fmt: skip
    sections = iter(section for section, _ in PAGES)

    def page(canvas: object, _doc: object) -> None:
        section = next(sections, None)
        if section is not None:
            canvas.bookmarkPage(section)  # type: ignore[attr-defined]
            canvas.addOutlineEntry(section, section, level=0)  # type: ignore[attr-defined]

    doc.build(story, onFirstPage=page, onLaterPages=page)


if __name__ == "__main__":
    build(Path(__file__).with_name("How answers are checked.pdf"))
