"""Run the command line with `python -m headwater.cli`."""

from headwater.cli import main

main()
