"""From a frame to numbers and codes: what is learned from the columns before training."""

from isotone.encoding.encoder import ENCODINGS, Encoder, Field
from isotone.encoding.knots import distinct_values, place_knots
from isotone.encoding.tables import Labels, Table, check_collected, declared_order, is_frame, read_table

__all__ = [
    "ENCODINGS",
    "Encoder",
    "Field",
    "Labels",
    "Table",
    "check_collected",
    "declared_order",
    "distinct_values",
    "is_frame",
    "place_knots",
    "read_table",
]
