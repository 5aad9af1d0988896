"""The entry points of an artifact: `python artifact.zip stream APP HASH`, `python artifact.zip manifest`."""

from __future__ import annotations

import json
import logging
import os
import sys

from headwater.registry.leases import Fenced

FAILED = 1


def main(arguments: list[str]) -> int:
    """Run one entry point and return the exit code: 0 only for an end that was wanted."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    for chatty in ("kafka", "py4j"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    match arguments:
        case ["stream", app, artifact]:
            return _stream(app, artifact)
        case ["manifest"]:
            from spark_apps import catalog

            # Flushed here: an artifact ends without the courtesies of an interpreter that exits.
            print(json.dumps(catalog.manifest()), flush=True)
            return 0
        case _:
            print(f"usage: stream APP HASH | manifest, not {arguments}", file=sys.stderr)
            return FAILED


def _stream(app: str, artifact: str) -> int:
    from spark_apps import stream

    log = logging.getLogger("headwater")
    try:
        stream.run(app, artifact)
    except Fenced as fenced:
        # Ending well ends Spark's supervision: a driver that has been replaced must not come back.
        log.warning("%s", fenced)
        return 0
    except Exception:
        log.exception("app %s failed", app)
        return FAILED
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: threads of a query that hangs must not keep a dead driver alive.
    os._exit(code)
