"""Networks."""

from .policy import Policy
from .reference import frozen_copy

__all__ = ["Policy", "frozen_copy"]
