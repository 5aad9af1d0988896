"""Great Expectations on finished tables: the proof of a candidate, and the quality of what is live."""
