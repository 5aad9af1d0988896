"""What we depend on, looked at: known faults, licences, a bill of materials. `make audit` runs it."""
