"""Requirements of several parts, united."""

import pytest

from scaffold.requirements import is_requirement, unite


@pytest.mark.parametrize(
    ("texts", "united"),
    [
        (["torch", "numpy", "torch"], ["numpy", "torch"]),
        (["torch>= 2.11", "torch", "torch <3"], ["torch>=2.11,<3"]),
        (["torch>=2.11,<3", "torch>=2.11"], ["torch>=2.11,<3"]),
        (["Scikit_Learn", "scikit-learn>=1.5"], ["Scikit_Learn>=1.5"]),
        (["a[x]>=1", "a"], ["a", "a[x]>=1"]),
        (["a; python_version < '3.12'", "a>=2"], ["a>=2", "a; python_version < '3.12'"]),
        ([], []),
    ],
)
def test_unites(texts: list[str], united: list[str]) -> None:
    assert list(unite(texts)) == united
    assert list(unite(reversed(united))) == united


def test_refuses_what_is_no_requirement() -> None:
    assert not any(map(is_requirement, ["?", "", "a b", "-r x", "a==1 b", "a,b", "a>=1,", "a>"]))
    assert all(map(is_requirement, ["a", "a[b]>=1,<2", "a ~= 1; python_version < '3.12'"]))
