"""The example of the profile `docs`, played whole."""

import pytest

from examples.docs.run import play
from tests.e2e.examples_rig import ExampleStack

pytestmark = pytest.mark.timeout(400)  # thirty pages are indexed by a real model


def test_a_documentation_is_built_swapped_in_and_asked_beside_the_askers_own_data(examples: ExampleStack) -> None:
    examples.play(play)
