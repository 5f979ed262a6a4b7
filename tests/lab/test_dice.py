import hashlib
from decimal import Decimal, localcontext

import pytest

from zmon.lab.dice import CELLS, DIGITS, EXPONENTIAL, Dice


def test_exponential_times_have_the_mean_that_is_asked_for() -> None:
    """The values of the table are equally probable, so their mean is that of all times: 1."""
    assert sum(EXPONENTIAL) / CELLS == pytest.approx(1, abs=1e-7)


def test_exponential_times_vary_as_such_times_do() -> None:
    """What is lost by taking the mean of each cell is less than a thousandth of the variance."""
    assert sum(value * value for value in EXPONENTIAL) / CELLS - 1 == pytest.approx(1, abs=1e-3)


def test_the_same_seed_gives_the_same_chances() -> None:
    """What is simulated can be simulated again."""
    assert [Dice(5).below(1000) for _ in range(3)] == [Dice(5).below(1000) for _ in range(3)]


def test_the_table_is_the_same_on_every_machine() -> None:
    """Rounded values do not depend on the last bit of a logarithm."""
    words = " ".join(map(str, EXPONENTIAL))

    assert hashlib.sha256(words.encode()).hexdigest()[:16] == "ad7ea81ff7e3cba2"


def test_the_table_is_what_exact_arithmetic_gives() -> None:
    """An error in the last bits of a logarithm, times the cells, does not reach the digits that are kept."""
    with localcontext(prec=40):
        for cell in range(0, CELLS, 7):
            left, right = 1 - Decimal(cell) / CELLS, 1 - Decimal(cell + 1) / CELLS
            above = (1 - right.ln()) * right if right else Decimal(0)
            exact = CELLS * ((1 - left.ln()) * left - above)

            assert EXPONENTIAL[cell] == float(round(exact, DIGITS))
