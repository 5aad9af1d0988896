"""The catalog: views are found by folder, and a changed one cannot keep its version."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from headwater.errors import Refusal
from headwater.topics import load_topics
from spark_apps import archiving, catalog
from spark_apps.views import page_views_per_minute

VIEW = page_views_per_minute.VIEW


def test_views_are_found_by_folder() -> None:
    assert {"page_views_per_minute", "page_views_per_minute_received"} <= catalog.views().keys()


def test_every_input_is_a_declared_topic() -> None:
    topics = load_topics()
    for view in catalog.views().values():
        assert set(view.inputs) <= topics.keys()


def test_an_app_of_the_views_archives_and_may_read_every_topic() -> None:
    assert archiving.APP in {view.app for view in catalog.views().values()}
    for topic in load_topics().values():
        assert "apps" in topic.read_by


def test_fingerprint_changes_with_the_logic_and_only_with_it() -> None:
    fingerprint = catalog.fingerprint(VIEW)
    assert catalog.fingerprint(replace(VIEW, lateness=timedelta(minutes=11))) != fingerprint
    assert catalog.fingerprint(replace(VIEW, owner="someone-else", version=7, checks=())) == fingerprint


def test_view_remembers_longer_than_its_late_rule() -> None:
    for view in catalog.views().values():
        assert view.remembers > view.lateness


def test_appended_rows_cannot_be_corrected() -> None:
    with pytest.raises(Refusal, match="only appended"):
        replace(VIEW, mode="append")


def test_unknown_view_is_refused_with_those_there_are() -> None:
    with pytest.raises(Refusal, match="page_views_per_minute"):
        catalog.view("nonsense")
