"""How a product's question is routed: a declared table of rules, read from the top; no model is asked. Source: S4-03, S4-21, S4-22."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sourcebook_core.retrieval_knobs import PRODUCT_POOLS, Frozen, Pool

AnswerMode = Literal["product", "science", "hybrid", "low_confidence"]
Intent = Literal[
    "product_operation", "troubleshooting", "experiment_design", "target_specific_experiment_design", "surface_chemistry", "science",
    "comparison", "unknown",
]  # fmt: skip


class Rule(Frozen):
    """One line of the table: it holds when every condition that it names does; without one it always holds."""

    intent: Intent = Field(description="What the asker wants.")
    mode: AnswerMode = Field(description="From which kind of evidence it is answered.")
    pools: str = Field(max_length=40, description="Which set of pools is searched.")
    words: tuple[str, ...] = Field((), max_length=200, description="The question has a word that begins so, or this phrase; folded.")
    also: tuple[str, ...] = Field((), max_length=200, description="And one of these as well.")
    technologies: int = Field(0, ge=0, le=10, description="It names at least so many technologies.")
    context: dict[str, tuple[str, ...]] = Field({}, description="Field of the question's context → the values of which it has one.")


class Catalog(Frozen):
    """A first-party list of products, read when the writing model says that the question needs it. Source: S4-08, S4-25."""

    address: str = Field(max_length=1000, description="Gives a JSON list of records {name, text, url}, or an object with `items`.")
    link: str = Field("", max_length=1000, description="The shop, named when the catalog was asked for and no record fits.")
    ttl_s: int = Field(300, ge=1, le=86_400, description="A reading answers for so long.")
    seconds: float = Field(5.0, gt=0, le=30, description="One reading may take so long.")
    max_bytes: int = Field(1_000_000, ge=1, le=10_000_000, description="A larger reply is no catalog.")
    records: int = Field(3, ge=1, le=10, description="At most so many records are handed over, those that share most words.")


class Routing(Frozen):
    """The table of rules with the pools that it names."""

    rules: tuple[Rule, ...] = Field((), max_length=50, description="The first that holds decides; none: the question is not routed.")
    pools: dict[str, tuple[Pool, ...]] = Field({}, description="Sets of pools by name.")
    focal: str | None = Field(
        None, max_length=100, description="The product's own technology, where the question and its context name none."
    )
    technologies: tuple[str, ...] = Field(
        (), max_length=200, description="Names that are technologies, beside those of the sources' `meta`."
    )
    catalog: Catalog | None = Field(None, description="Null: there is none.")


_TROUBLE = (
    "error", "fail", "fault", "wrong", "problem", "trouble", "broken", "stuck", "leak", "drift", "nois", "alarm", "warning", "not work",
    "does not", "doesn't", "cannot", "can't", "won't", "no signal", "fehler", "störung", "geht nicht", "funktioniert nicht", "defekt",
    "problém", "chyb", "poruch", "nefunguje", "nejde", "erreur", "panne", "ne fonctionne pas", "fallo", "avería", "no funciona",
)  # fmt: skip
_COMPARE = (
    "compar", "versus", "vs", "differ", "better", "instead of", "advantage", "vergleich", "unterschied", "besser", "porovn", "rozdíl",
    "lepší", "compare", "différence", "mieux", "diferencia", "mejor",
)  # fmt: skip
_SURFACE = (
    "surface", "coating", "immobili", "functionali", "linker", "thiol", "silan", "regenerat", "oberfläch", "beschicht", "povrch",
    "povlak", "revêtement", "recubrimiento", "superficie",
)  # fmt: skip
_EXPERIMENT = (
    "experiment", "assay", "protocol", "titrat", "dilution", "design", "control sample", "replicate", "versuch", "protokoll", "verdünnung",
    "pokus", "ředění", "expérience", "protocole", "experimento", "protocolo", "ensayo",
)  # fmt: skip
_TARGET = (
    "protein", "antibod", "antigen", "dna", "rna", "peptide", "analyte", "target", "ligand", "cell", "virus", "antikörper", "zelle",
    "protilátk", "buňk", "anticorps", "anticuerpo", "proteína", "protéine",
)  # fmt: skip
_SCIENCE = (
    "why", "theor", "principle", "mechanism", "physic", "equation", "how does", "what is the science", "explain", "warum", "wieso",
    "prinzip", "erkläre", "proč", "princip", "vysvětl", "pourquoi", "explique", "por qué",
)  # fmt: skip
_OPERATION = (
    "how do", "how to", "how can", "how long", "how often", "where", "when", "which", "what", "start", "stop", "install", "calibrat",
    "clean", "configur", "setting", "button", "menu", "load", "insert", "export", "temperature", "wie", "wo", "wann", "welche", "was",
    "jak", "kde", "kdy", "který", "co", "comment", "où", "quand", "quel", "cómo", "dónde", "cuándo", "qué",
)  # fmt: skip
RULES: tuple[Rule, ...] = (
    Rule(intent="comparison", mode="science", pools="comparison", words=_COMPARE, technologies=2),
    Rule(intent="troubleshooting", mode="product", pools="operation", words=_TROUBLE),
    Rule(intent="surface_chemistry", mode="hybrid", pools="chemistry", words=_SURFACE),
    Rule(intent="target_specific_experiment_design", mode="hybrid", pools="chemistry", words=_EXPERIMENT, also=_TARGET),
    Rule(intent="experiment_design", mode="hybrid", pools="chemistry", words=_EXPERIMENT),
    Rule(intent="science", mode="science", pools="science", words=_SCIENCE),
    Rule(intent="product_operation", mode="product", pools="operation", words=_OPERATION),
    Rule(intent="unknown", mode="low_confidence", pools="operation"),
)
PRODUCT_ROUTING = Routing(rules=RULES, pools=PRODUCT_POOLS)
