"""The shop: a simulator of its customers, seeded and deterministic."""

from headwater.shop.counts import Counts
from headwater.shop.records import Record, records
from headwater.shop.simulate import simulate
from headwater.shop.simulation import Outage, Simulation

__all__ = ["Counts", "Outage", "Record", "Simulation", "records", "simulate"]
