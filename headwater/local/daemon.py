"""supervisord: one per instance, spoken to over a Unix socket that only its owner can open."""

from __future__ import annotations

import http.client
import os
import resource
import shlex
import subprocess
import sys
import xmlrpc.client
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supervisor.options import make_namespec
from supervisor.xmlrpc import SupervisorTransport

from headwater.errors import Refusal
from headwater.local import processes
from headwater.local.files import one_at_a_time, write_private
from headwater.local.users import User, unprivileged_user
from headwater.waiting import wait_until_nothing_is_missing

if TYPE_CHECKING:
    from headwater.local.record import Part, Program

PASSED_ON = ("HOME", "LANG", "LC_ALL", "LOGNAME", "TMPDIR", "TZ", "USER")
FILES_WANTED = 16384

CONFIGURATION = """\
[supervisord]
logfile=%(home)s/logs/supervisord.log
logfile_maxbytes=5MB
logfile_backups=1
pidfile=%(home)s/supervisor/supervisord.pid
childlogdir=%(home)s/logs
directory=%(home)s
umask=077
minfds=%(files)d
%(user)s
[unix_http_server]
file=%(home)s/supervisor/socket
chmod=0700

[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface

[include]
files=%(home)s/supervisor/conf.d/*.conf
"""

PROGRAM = """\
[program:%(name)s]
command=%(command)s
environment=%(environment)s
autostart=true
autorestart=true
startsecs=3
startretries=30
stopsignal=%(signal)s
stopwaitsecs=%(patience)d
stopasgroup=true
killasgroup=true
redirect_stderr=true
stdout_logfile=%(log)s
stdout_logfile_maxbytes=20MB
stdout_logfile_backups=2
%(user)s
"""


def log_file(home: Path, program: str) -> Path:
    """Return the log of a program."""
    return home / "logs" / f"{program}.log"


def start_daemon(home: Path) -> None:
    """Start supervisord, and with it every program it knows. Does nothing if it runs."""
    # Parts start at the same time, and each makes sure that it runs.
    with one_at_a_time(home / "supervisor/lock"):
        if not answers(home):
            _start(home)


def stop_daemon(home: Path) -> None:
    """Stop supervisord and every program; end whatever they have left behind."""
    with processes.ending(processes.processes_of_instance(home)):
        if answers(home):
            _call(home, "supervisor.stopAllProcesses")
            _call(home, "supervisor.shutdown")
    processes.end(processes.processes_of_instance(home))  # what was started while we stopped


def answers(home: Path) -> bool:
    """Tell whether supervisord runs."""
    try:
        return bool(_call(home, "supervisor.getState")["statename"] == "RUNNING")
    except (OSError, http.client.HTTPException):
        return False


def add_part(part: Part, programs: dict[str, Program]) -> None:
    """Give a part's programs to supervisord, which starts them."""
    remove_part(part.home, part.name)
    user = unprivileged_user() if part.unprivileged else None
    sections = [_program(part, name, program, user) for name, program in programs.items()]
    group = f"[group:{part.name}]\nprograms={','.join(programs)}\n"
    write_private(_conf_file(part.home, part.name), "\n".join([*sections, group]))
    _call(part.home, "supervisor.reloadConfig")
    _call(part.home, "supervisor.addProcessGroup", part.name)


def remove_part(home: Path, name: str) -> None:
    """Stop a part's programs, take them from supervisord, and end whatever they have left behind."""
    _conf_file(home, name).unlink(missing_ok=True)
    with processes.ending(processes.processes_of_part(home, name)):
        if answers(home):
            with suppress(xmlrpc.client.Fault):  # BAD_NAME: it was never added
                _call(home, "supervisor.stopProcessGroup", name)
                _call(home, "supervisor.removeProcessGroup", name)
    processes.end(processes.processes_of_part(home, name))  # what was started while we stopped


def start_stopped_programs(home: Path, name: str) -> list[str]:
    """Start the programs of a part that do not run; return their names."""
    stopped = [state["name"] for state in program_states(home, name) if state["statename"] in _AT_REST]
    for program in stopped:
        with suppress(xmlrpc.client.Fault):  # started in the meantime
            _call(home, "supervisor.startProcess", make_namespec(name, program), False)
    return stopped


def program_states(home: Path, name: str | None = None) -> list[dict[str, Any]]:
    """Return what supervisord knows of each program, or of those of one part."""
    if not answers(home):
        return []
    states: list[dict[str, Any]] = _call(home, "supervisor.getAllProcessInfo")
    return [state for state in states if name in (None, state["group"])]


_AT_REST = {"STOPPED", "EXITED", "FATAL"}


def _start(home: Path) -> None:
    # Programs of a supervisord that was killed live on and hold the ports.
    processes.end(processes.processes_of_instance(home))
    write_private(home / "supervisor/supervisord.conf", _configuration(home))
    (home / "supervisor/conf.d").mkdir(exist_ok=True)
    (home / "logs").mkdir(exist_ok=True)
    command = [sys.executable, "-m", "supervisor.supervisord", "-c", f"{home}/supervisor/supervisord.conf"]
    started = subprocess.run(command, env=_environment(home), capture_output=True, text=True, check=False)
    if started.returncode or wait_until_nothing_is_missing(lambda: "" if answers(home) else "socket", 20):
        raise Refusal(
            "supervisord could not be started",
            detail=(started.stderr or started.stdout).strip()[-500:] or "It does not answer on its socket.",
            hint=f"Look into {home}/logs/supervisord.log.",
        )


def _call(home: Path, method: str, *arguments: object) -> Any:
    """Call supervisord. A connection per call: there are few, and it may be stopped at any time."""
    transport = SupervisorTransport(None, None, f"unix://{home}/supervisor/socket")
    try:
        server = xmlrpc.client.ServerProxy("http://supervisor", transport=transport)
        return getattr(server, method)(*arguments)
    finally:
        transport.close()


def _conf_file(home: Path, name: str) -> Path:
    return home / "supervisor/conf.d" / f"{name}.conf"


def _configuration(home: Path) -> str:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = FILES_WANTED if most == resource.RLIM_INFINITY else min(FILES_WANTED, most)
    return CONFIGURATION % {
        "home": _escape(str(home)),
        "files": files,
        "user": "user=root\n" if os.geteuid() == 0 else "",
    }


def _environment(home: Path) -> dict[str, str]:
    """Return what the programs inherit: little, so that it does not matter who typed `make up`, and where."""
    passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    path = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    if java_home := os.environ.get("JAVA_HOME"):
        passed_on["JAVA_HOME"] = java_home
        path.insert(0, f"{java_home}/bin")
    return passed_on | {
        "PATH": ":".join(path),
        "HEADWATER_HOME": str(home),
        "MALLOC_ARENA_MAX": "2",  # glibc's arenas per thread cost more memory than they save time here
        "SPT_NOENV": "1",  # a program that gives itself a title must not write it over the mark
        processes.MARK: processes.mark(home, "supervisord"),
    }


def _program(part: Part, name: str, program: Program, user: User | None) -> str:
    variables = program.environment | {processes.MARK: processes.mark(part.home, part.name)}
    return PROGRAM % {
        "name": name,
        "command": _escape(shlex.join(program.command)),
        "environment": _escape(",".join(f"{key}={_quote(value)}" for key, value in variables.items())),
        "signal": program.stop_signal,
        "patience": program.stop_seconds,
        "log": _escape(str(log_file(part.home, name))),
        "user": f"user={user.name}" if user else "",
    }


def _quote(value: str) -> str:
    """Quote a value for supervisord, which knows two kinds of quotes and no way to escape them."""
    for mark in ('"', "'"):
        if mark not in value:
            return f"{mark}{value}{mark}"
    raise Refusal("an environment variable has both kinds of quotes", detail=value)


def _escape(value: str) -> str:
    return value.replace("%", "%%")
