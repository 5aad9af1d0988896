"""Speeds of views: every view is measured or said not to be, and held against what its kind must reach."""

from __future__ import annotations

from benchmarks.bench_views import by_inputs, skipped
from benchmarks.view_speeds import ANY, TUMBLING, Speed, faults, wanted_of
from spark_apps import catalog

VIEWS = list(catalog.views().values())


def test_every_view_is_measured_or_said_not_to_be() -> None:
    measured = {view.name for views in by_inputs(VIEWS).values() for view in views}
    assert measured | skipped(VIEWS).keys() == catalog.views().keys()
    assert not measured & skipped(VIEWS).keys()
    assert "order_details" in skipped(VIEWS)


def test_windows_without_overlap_must_be_fast_and_no_others() -> None:
    assert {view.name for view in VIEWS if wanted_of(view) == TUMBLING} == {
        "page_views_per_minute",
        "page_views_per_minute_received",
        "click_through_rates",
        "product_demand",
    }
    assert wanted_of(catalog.view("response_times")) == ANY  # each request counts in twelve windows


def speed(replayed: float, wanted: float) -> Speed:
    return Speed(view="carts", log=100, events=90, raw=1000, by_spark=900, replayed=replayed, wanted=wanted)


def test_slow_view_is_told() -> None:
    assert faults([speed(350, TUMBLING)]) == ["carts: 35% of the raw read, not 40%"]
    assert faults([speed(400, TUMBLING), speed(50, ANY)]) == []
