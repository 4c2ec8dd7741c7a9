"""What is said about an answer's citations and statements: the models of `citations[]` and `checks`."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

Verdict = Literal["found", "partly", "number_differs", "not_found", "not_checked"]
Status = Literal["found", "partly", "number_differs", "not_found", "not_checked", "uncited"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Numbers(_Frozen):
    """The statement's numbers as written, by whether the quoted passage has them."""

    matched: list[str] = Field(default_factory=list, description="Numbers of the statement that stand in the passage.")
    missing: list[str] = Field(default_factory=list, description="Numbers of the statement that do not stand in the passage.")


class Evidence(_Frozen):
    """What was compared to reach a verdict."""

    spans: list[tuple[int, int]] = Field(
        default_factory=list, description="The words of the quote that carry the statement: half-open code point ranges in the passage."
    )
    missing: list[str] = Field(default_factory=list, description="Words of the statement that the passage does not have.")
    numbers: Numbers = Field(default_factory=Numbers)
    caution: str | None = Field(
        None,
        description='A word by which the source is more careful: doubt, denial, a bound, who says it ("may", "not", "some").',
    )
    differs: str | None = Field(
        None, description="Else a word that keeps the statement from being found: a bound, unit, day or direction, or it stands elsewhere."
    )
    quoted_words_found: bool | None = Field(
        None, description="Whether words the statement puts in quotation marks stand in the passage; null when it quotes none."
    )
    entailed: bool | None = Field(None, description="What the entailment model says, where one is connected.")


class Context(_Frozen):
    """The sentence before and after a quote, as they stand in the passage."""

    before: str = ""
    after: str = ""


class Use(_Frozen):
    """One statement that carries a citation, with the words of the source that carry it."""

    statement: int = Field(description="Index into `checks.statements`.")
    quote: str | None = Field(None, description="The source's own words; null when none was located.")
    start: int | None = Field(None, description="Start of the quote in the passage, in Unicode code points.")
    end: int | None = Field(None, description="End of the quote in the passage, exclusive.")
    context: Context = Field(default_factory=Context)
    verdict: Verdict
    evidence: Evidence = Field(default_factory=Evidence)


class Citation(_Frozen):
    """One numbered mark of an answer: the chunk behind it and every statement that uses it."""

    n: int = Field(description="The number in the answer, from 1, dense, by first appearance.")
    source_id: UUID
    reading_id: UUID
    source_title: str
    kind: str
    chunk_id: UUID
    passage: int = Field(description="Ordinal of the passage in the reading.")
    page: int | None = None
    heading: str | None = None
    sheet: str | None = Field(None, description="Sheet of a table.")
    rows: tuple[int, int] | None = Field(None, description="First and last row of the sheet, from 1.")
    start_ms: int | None = Field(None, description="Where the passage begins in a recording, in milliseconds.")
    end_ms: int | None = Field(None, description="Where it ends.")
    layer: str | None = Field(None, description="Of a built corpus: `local` is a local copy that has no address of its own.")
    similarity: float | None = Field(None, description="Raw cosine of question and chunk; null when found by words alone.")
    removed: bool = Field(False, description="The source is no longer in this notebook.")
    carried: bool = Field(False, description="The passage was carried over from the last answer.")
    quote: str | None = Field(None, description="Quote of the first use.")
    start: int | None = None
    end: int | None = None
    verdict: Verdict | None = Field(None, description="Verdict of the first use; null until the answer is checked.")
    uses: list[Use] = Field(default_factory=list)


class Statement(_Frozen):
    """A sentence, list item or table row of the answer that asserts something."""

    start: int = Field(description="Start in the answer, in Unicode code points.")
    end: int = Field(description="End in the answer, exclusive.")
    cited: list[int] = Field(default_factory=list, description="The marks that answer for it.")
    status: Status = Field(description='The best verdict of its marks, or "uncited".')


class Checks(_Frozen):
    """The outcome of checking one answer. It never blocks or rewrites the answer."""

    citations_valid: bool = Field(description="Every mark the model wrote names a passage it was given.")
    numbers_grounded: bool = Field(description="`ungrounded_numbers` is empty.")
    ungrounded_numbers: list[str] = Field(
        default_factory=list, description="Numbers, as written, that stand in nothing the model was given."
    )
    statements: list[Statement] = Field(default_factory=list)
    found: int = Field(0, description="Statements with status found.")
    total: int = Field(0, description="Statements that assert something.")
