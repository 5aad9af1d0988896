"""The audit: infrastructure scanned, packages asked after, bill of materials and licences written.

Ends with 1 if something is wrong, and also if it could not be looked at: silence is no answer.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from importlib import metadata
from typing import TYPE_CHECKING, Any

from audit import jars, tools
from headwater.local.jvm import resolve_jvm_parts
from headwater.settings import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterable

RESULTS = REPOSITORY / ".headwater/audit"
UNKNOWN = "(says nothing)"


def main() -> int:
    """Run every step; return how many found fault."""
    tools.install()
    RESULTS.mkdir(parents=True, exist_ok=True)
    bill = write_bill()
    write_licences(bill["components"])
    return sum([not scan_infrastructure(), not ask_after_packages()])


def scan_infrastructure() -> bool:
    """Have checkov look at the Terraform code; every exception is explained where it is made."""
    done = tools.run("checkov", "-d", "infra", "--framework", "terraform", "--skip-download", "-o", "json")
    found = json.loads(done.stdout)
    for check in found["results"]["failed_checks"]:
        print(f"  {check['check_id']} {check['resource']}: {check['check_name']}")
    summary = found["summary"]
    print(
        f"infrastructure: {summary['passed']} checks hold, {summary['failed']} do not, "
        f"{summary['skipped']} exceptions, {summary['parsing_errors']} files not understood"
    )
    return not (summary["failed"] or summary["parsing_errors"])


def ask_after_packages() -> bool:
    """Ask PyPI for the known faults of every pinned package."""
    done = tools.run(
        "pip-audit", "--requirement", "requirements.txt", "--disable-pip", "--no-deps", "--format", "json"
    )
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        print(f"packages: NOT LOOKED AT: {done.stderr.strip().splitlines()[-1]}")
        return False
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    faulty = [package for package in packages if package.get("vulns")]
    for package in faulty:
        print(f"  {package['name']} {package['version']}: {', '.join(v['id'] for v in package['vulns'])}")
    print(f"packages: {len(packages) - len(unknown)} looked up, {len(faulty)} with known faults")
    if unknown:
        print(f"packages: NOT LOOKED AT: {len(unknown)}; PyPI's list of known faults did not answer for them")
    return not (faulty or unknown)


def write_bill() -> dict[str, Any]:
    """Write the bill of materials: Python's packages and the jars, in one file."""
    done = tools.run("cyclonedx-py", "environment", "--output-reproducible", "--sv", "1.6", sys.executable)
    bill: dict[str, Any] = json.loads(done.stdout)
    for package in bill["components"]:
        package.setdefault("licenses", _expression(package["name"]))
    bill["components"] += jars.components(resolve_jvm_parts())
    (RESULTS / "sbom.json").write_text(json.dumps(bill, indent=2))
    print(f"bill of materials: {len(bill['components'])} parts in {RESULTS / 'sbom.json'}")
    return bill


def _expression(package: str) -> list[dict[str, str]]:
    """Return the licence in the form that newer packages tell it, and the tool does not read."""
    said = metadata.metadata(package).get("License-Expression")
    return [{"expression": said}] if said else []


def write_licences(components: Iterable[dict[str, Any]]) -> None:
    """Write which parts have which licence."""
    parts = defaultdict(list)
    for component in components:
        parts[licence_of(component)].append(f"{component['name']} {component['version']}")
    lines = [f"## {licence}\n\n{', '.join(sorted(names))}\n" for licence, names in sorted(parts.items())]
    (RESULTS / "licences.md").write_text("# Licences\n\n" + "\n".join(lines))
    print(f"licences: {len(parts)} in {RESULTS / 'licences.md'}; {len(parts[UNKNOWN])} parts say nothing")


def licence_of(component: dict[str, Any]) -> str:
    """Return what a part says of its licence: one line, whatever form it comes in."""
    for entry in component.get("licenses", []):
        licence = entry.get("license", {})
        if said := entry.get("expression") or licence.get("id") or licence.get("name"):
            return str(said).strip().splitlines()[0][:80]
    return UNKNOWN


if __name__ == "__main__":
    sys.exit(min(main(), 1))
