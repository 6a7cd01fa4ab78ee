"""Instruments that find where training first goes wrong."""
