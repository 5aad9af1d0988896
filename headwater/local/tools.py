"""The tools of the machine: found, their versions read, a missing one told with the cure.

Standard library only: the checks before the set-up use it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from headwater.errors import Refusal

JAVA_WANTED = 17
JAVA_PACKAGE = f"openjdk-{JAVA_WANTED}-jre-headless"
TERRAFORM_WANTED = (1, 9)


def find_java() -> str | None:
    """Return the Java that every part uses: the one of JAVA_HOME, else the first on PATH."""
    if java_home := os.environ.get("JAVA_HOME"):
        return shutil.which(f"{java_home}/bin/java")
    return shutil.which("java")


def check_java() -> None:
    """Refuse a missing or old Java; install a missing one where we may."""
    java = find_java() or _install_java()
    version = java_version(java)
    if version < JAVA_WANTED:
        raise Refusal(
            f"Java {version} is too old",
            detail=f"{java} is version {version or '?'}; Kafka and Spark need {JAVA_WANTED} or newer.",
            hint=f"Install it with `{_java_command()}`, and let JAVA_HOME name it if both are to stay.",
        )


def java_version(java: str) -> int:
    """Return the major version of a Java: 8 for "1.8.0_392", 17 for "17.0.15"; 0 if it does not tell."""
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    return int(found[1]) if found else 0


def check_terraform() -> None:
    """Refuse a missing or old Terraform."""
    cure = "Install it with `sudo snap install terraform --classic`, or as terraform.io describes it."
    wanted = ".".join(map(str, TERRAFORM_WANTED))
    if (terraform := shutil.which("terraform")) is None:
        raise Refusal(
            "Terraform is missing", detail=f"Version {wanted} or newer makes the environment.", hint=cure
        )
    version = terraform_version(terraform)
    if tuple(int(number) for number in version.split(".")[:2]) < TERRAFORM_WANTED:
        raise Refusal(f"Terraform {version} is too old", detail=f"{wanted} or newer is needed.", hint=cure)


def terraform_version(terraform: str) -> str:
    """Return the version of a Terraform, `0.0` if it does not tell."""
    command = [terraform, "version", "-json"]
    said = subprocess.run(command, env=terraform_environment(), capture_output=True, text=True, check=False)
    try:
        return str(json.loads(said.stdout)["terraform_version"])
    except (ValueError, KeyError):
        return "0.0"


def terraform_environment() -> dict[str, str]:
    """Return our environment for Terraform, without a configuration file that is named but missing."""
    variables = dict(os.environ, CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1")
    if not Path(variables.get("TF_CLI_CONFIG_FILE", "/")).exists():
        del variables["TF_CLI_CONFIG_FILE"]
    return variables


def _install_java() -> str:
    """Install Java where nobody has to be asked: as root, with apt-get."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Java is missing: installing {JAVA_PACKAGE}", flush=True)
        subprocess.run(["apt-get", "update", "-qq"], capture_output=True, check=False)
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        command = ["apt-get", "install", "-y", "-qq", JAVA_PACKAGE]
        subprocess.run(command, env=environment, capture_output=True, check=False)
    if java := find_java():
        return java
    raise Refusal(
        "Java is missing",
        detail=f"Kafka and Spark need version {JAVA_WANTED} or newer.",
        hint=f"Install it with `{_java_command()}`.",
    )


def _java_command() -> str:
    """Return the command that installs Java with this machine's package manager."""
    if shutil.which("dnf"):
        return f"sudo dnf install java-{JAVA_WANTED}-openjdk-headless"
    if shutil.which("pacman"):
        return f"sudo pacman -S jre{JAVA_WANTED}-openjdk-headless"
    return f"sudo apt-get install {JAVA_PACKAGE}"
