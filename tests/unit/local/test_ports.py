from __future__ import annotations

import pytest

from headwater.errors import Refusal
from headwater.local.ports import port_base, wanted_ports


@pytest.fixture(autouse=True)
def _no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADWATER_PORT_BASE", raising=False)


def test_main_starts_at_20000() -> None:
    assert port_base("main") == 20000


def test_other_names_get_a_hundred_ports_below_the_ephemeral_range() -> None:
    bases = {port_base(f"instance-{number}") for number in range(500)}
    assert all(20100 <= base <= 32600 and base % 100 == 0 for base in bases)
    assert len(bases) > 100


def test_a_name_always_gives_the_same_ports() -> None:
    assert port_base("test") == port_base("test") != port_base("trial")


def test_chosen_base_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_PORT_BASE", "21000")
    assert port_base("main") == 21000


@pytest.mark.parametrize("base", ["21050", "80", "70000", "many", "-100"])
def test_base_that_is_no_hundred_is_refused(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_PORT_BASE", base)
    with pytest.raises(Refusal, match="cannot be the first port"):
        port_base("main")


def test_no_two_listeners_share_a_port_at_the_largest_size() -> None:
    ports = wanted_ports(20000, brokers=3, workers=8)
    assert len(ports) == len(wanted_ports(20000)) + 2 + 2 + 7
    assert all(20000 <= port < 20100 for port in ports)
