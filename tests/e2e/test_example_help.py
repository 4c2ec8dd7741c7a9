"""The example of the profile `help`, played whole."""

import pytest

from examples.help.run import play
from tests.e2e.examples_rig import ExampleStack

pytestmark = pytest.mark.timeout(400)  # the help is indexed by a real model, and once more by another


def test_the_help_answers_by_cards_and_goes_on_through_every_loss_of_a_model(examples: ExampleStack) -> None:
    examples.play(play)
