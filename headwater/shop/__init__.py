"""The shop: a simulator of its customers, seeded and deterministic."""

from headwater.shop.counts import Counts
from headwater.shop.record import Record
from headwater.shop.records import records
from headwater.shop.simulate import simulate
from headwater.shop.simulation import Outage, Simulation
from headwater.shop.streams import STREAMS

__all__ = ["STREAMS", "Counts", "Outage", "Record", "Simulation", "records", "simulate"]
