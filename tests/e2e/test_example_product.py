"""The example of the profile `product`, played whole."""

import pytest

from examples.product.run import play
from tests.e2e.examples_rig import ExampleStack

pytestmark = pytest.mark.timeout(400)  # a handbook is indexed by a real model


def test_an_instrument_is_asked_by_routes_tools_and_sessions_within_their_bounds(examples: ExampleStack) -> None:
    examples.play(play)
