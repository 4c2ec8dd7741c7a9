"""The example of the profile `persona`, played whole."""

import pytest

from examples.persona.run import play
from tests.e2e.examples_rig import ExampleStack

pytestmark = pytest.mark.timeout(400)  # real models index the notes


def test_two_bots_quote_what_each_was_given_and_only_the_program_names_it(examples: ExampleStack) -> None:
    examples.play(play)
