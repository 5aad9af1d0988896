"""The bounded jobs, as Spark runs them.

    spark-submit expectations/__main__.py prove VIEW LABEL      prove a candidate; stored with the version
    spark-submit expectations/__main__.py prove-backfill REPLAY prove a backfill; stored with the replay
    spark-submit expectations/__main__.py backfill REPLAY       put the rows of a backfill in place
    spark-submit expectations/__main__.py check [VIEW…]         check live views, by default all of them
    spark-submit expectations/__main__.py maintain [--dry-run]  maintain the lake, versions and artifacts
    spark-submit expectations/__main__.py batch due [VIEW…]     compute the closed days that are due
    spark-submit expectations/__main__.py batch DAY [VIEW…]     compute one day, e.g. 2026-11-16
    spark-submit expectations/__main__.py verify VIEW [--slice FROM/TO]  replay a slice, compare with the view
    spark-submit expectations/__main__.py why VIEW [--events] KEY        find the records behind a row

The exit status says whether the job did its work; what it found is stored, printed and alarmed.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from headwater.errors import Refusal
from headwater.registry import connect, releases
from headwater.settings import Replaying
from headwater.topics import load_topics
from spark_apps import session

if TYPE_CHECKING:
    from collections.abc import Callable

DONE, FAILED, USAGE = 0, 1, 2


def main(arguments: list[str]) -> int:
    """Run one job and return its exit status."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    match arguments:
        case ["prove", view, label]:
            return _told(lambda: _prove(view, label))
        case ["prove-backfill", replay]:
            return _told(lambda: _prove_backfill(replay))
        case ["backfill", replay]:
            return _told(lambda: _backfill(replay))
        case ["check", *views]:
            return _told(lambda: _check(views))
        case ["batch", day, *views]:
            return _told(lambda: _batch(day, views))
        case ["maintain"] | ["maintain", "--dry-run"]:
            return _told(lambda: _maintain(dry_run=len(arguments) > 1))
        case ["verify", view]:
            return _told(lambda: _verify(view, None))
        case ["verify", view, "--slice", part]:
            return _told(lambda: _verify(view, part))
        case ["why", view, key]:
            return _told(lambda: _why(view, key, events=False))
        case ["why", view, "--events", key]:
            return _told(lambda: _why(view, key, events=True))
        case _:
            print(__doc__, file=sys.stderr)
            return USAGE


def _told(job: Callable[[], None]) -> int:
    try:
        job()
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return FAILED
    return DONE


def _prove(view: str, label: str) -> None:
    from expectations import proving, versions

    settings = Replaying.load()
    with connect(settings) as registry:
        candidate = versions.find(registry, view, label)
        live = versions.live_or_none(registry, view)
        spark = session.start(settings, f"prove {candidate.name}")
        proof = proving.prove(spark, settings, load_topics(), live, candidate)
        proving.store(registry, candidate, proof)
    print(proof.markdown())


def _prove_backfill(replay: str) -> None:
    from expectations import backfilling

    settings = Replaying.load()
    with connect(settings) as registry:
        spark = session.start(settings, f"prove {replay}")
        proof = backfilling.prove(spark, settings, registry, load_topics(), replay)
    print(proof.markdown())


def _backfill(replay: str) -> None:
    from expectations import backfilling

    settings = Replaying.load()
    with connect(settings) as registry:
        spark = session.start(settings, f"backfill {replay}")
        proof, outcome = backfilling.commit(spark, settings, registry, load_topics(), replay)
    print(outcome.in_words(proof))


def _check(views: list[str]) -> None:
    from expectations import quality, running, versions

    settings = Replaying.load()
    with connect(settings) as registry:
        live = [versions.live(registry, view) for view in views or versions.live_views(registry)]
    if not live:
        print("no view is live yet")
        return
    spark = session.start(settings, "check")
    for report in quality.check(spark, settings, load_topics(), live):
        print(report)
    print(f"Data Docs: {running.data_docs(settings)}/site/index.html")


def _maintain(*, dry_run: bool) -> None:
    from headwater import maintenance
    from spark_apps import maintaining

    settings = Replaying.load()
    spark = session.start(settings, "maintain")
    outcomes = maintaining.maintain(spark, settings, maintenance.Policy(), dry_run=dry_run)
    print(maintenance.in_markdown(outcomes, dry_run=dry_run))
    if failed := [outcome for outcome in outcomes if outcome.failed]:
        raise Refusal(
            f"{len(failed)} steps of maintenance failed",
            detail=" ".join(f"{outcome.subject}: {outcome.done}" for outcome in failed),
            hint="The others are done. See docs/maintenance.md.",
        )


def _batch(day: str, views: list[str]) -> None:
    from headwater.forms import BatchRun
    from spark_apps import batch_layer, catalog

    asked = BatchRun.check({"views": views or None, "day": None if day == "due" else day})
    settings = Replaying.load()
    with connect(settings) as registry:
        live = [version["view"] for version in releases.live_versions(registry)]
    with_days = [name for name, view in catalog.views().items() if name in live and not view.of_tables]
    chosen = [catalog.view(name) for name in asked.views or with_days]
    spark = session.start(settings, "batch layer")
    for outcome in batch_layer.run(spark, settings, load_topics(), chosen, asked.day):
        print(f"{outcome.view} {outcome.day}: {outcome.done}")


def _verify(name: str, part: str | None) -> None:
    from headwater.replay.between import Between
    from headwater.verifying import read_slice
    from spark_apps import serving, verifying

    settings = Replaying.load()
    asked = None
    if part is not None:
        first, after = read_slice(part)
        asked = Between(first=first, after=after)
    view, begins = serving.live_view(settings, name)
    spark = session.start(settings, f"verify {name}")
    found = verifying.verify(spark, settings, view, load_topics(), asked, begins)
    print(found.text())
    if found.differing:
        raise Refusal(
            found.verdict,
            detail=f"{found.differing:,} of {found.compared:,} rows differ.",
            hint=f"See one of them with `headwater why {name} KEY`; docs/verify.md says what it may be.",
        )


def _why(name: str, key: str, *, events: bool) -> None:
    from headwater import provenance
    from headwater.cli.printing import print_table, say
    from headwater.keys import read_key
    from spark_apps import explaining, serving

    settings = Replaying.load()
    view, _begins = serving.live_view(settings, name)
    row = read_key([key], view.key_columns)
    spark = session.start(settings, f"why {name}")
    found = explaining.explain(spark, settings, view, load_topics(), row)
    for sentence in found.sentences():
        say(sentence)
    print_table(provenance.COLUMNS, found.table())
    for line in [*(found.payloads() if events else ()), *filter(None, [found.rest()])]:
        say(line)
    if found.served is not None and not found.proved:
        raise Refusal(f'the log does not give this row of view "{name}"', hint="See docs/verify.md.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
