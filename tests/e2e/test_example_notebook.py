"""The example of the profile `notebook`, played whole."""

import pytest

from examples.notebook.run import play
from tests.e2e.examples_rig import ExampleStack

pytestmark = pytest.mark.timeout(400)  # a recording is listened to and a picture read, by real models


def test_the_mixed_notebook_answers_from_each_kind_and_opens_on_page_and_second(examples: ExampleStack) -> None:
    examples.play(play)
