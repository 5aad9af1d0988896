"""The control plane: everything that decides, and nothing that needs Spark or Airflow to be imported."""
