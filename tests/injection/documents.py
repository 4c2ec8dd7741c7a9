"""The whole set of hostile documents."""

from tests.injection import forging, hiding, leaving, ordering
from tests.injection.hostile import Hostile

ALL: tuple[Hostile, ...] = (*leaving.DOCUMENTS, *forging.DOCUMENTS, *ordering.DOCUMENTS, *hiding.DOCUMENTS)
