"""Numbers for assertions: whole and numpy numbers become floats, everything else is refused by name with a remedy."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from biascheck.core.errors import UsageError
from biascheck.gates.margins import checked_number


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (1, 1.0),
        (0.25, 0.25),
        (-3, -3.0),
        (np.float32(0.5), 0.5),
        (np.float64(0.1), 0.1),
        (np.int64(7), 7.0),
        (Fraction(1, 4), 0.25),
    ],
)
def test_numbers_become_floats(value, number):
    checked = checked_number(value, "margin")
    assert (checked, type(checked)) == (number, float)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (True, "margin=True is a bool"),
        (np.bool_(True), "is a bool"),
        ("0.5", "margin='0.5' is a str"),
        ("\x1b[2J", r"margin='\x1b[2J' is a str"),
        (None, "margin=None is None"),
        (1j, "margin=1j is a complex"),
        (np.complex128(1), "is a complex128"),
        ([0.5], "margin=[0.5] is a list"),
        (np.array([0.5]), "is a ndarray"),
        (Decimal("0.5"), "is a Decimal"),
        (float("nan"), "margin is nan, which is not finite"),
        (float("-inf"), "margin is -inf, which is not finite"),
        (np.float64("inf"), "margin is inf, which is not finite"),
        (10**400, "margin is too large for a float"),
        pytest.param(10**5000, "margin is too large for a float", id="more digits than Python writes"),
    ],
)
def test_everything_else_is_refused_with_the_remedy(value, said):
    with pytest.raises(UsageError) as error:
        checked_number(value, "margin")
    assert said in str(error.value)
    assert str(error.value).endswith("give a number above 0, e.g. margin=0.5")


@pytest.mark.parametrize("name", ["margin", "bound", "tolerance", "level", "by", "window"])
def test_the_argument_is_named(name):
    with pytest.raises(UsageError, match=rf"^{name}=True is a bool, not a number; give a "):
        checked_number(True, name)
