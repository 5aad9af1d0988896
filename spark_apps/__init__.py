"""Everything that runs on Spark: views of the log, and the engine that keeps them."""
