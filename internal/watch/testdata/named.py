"""A program of which inference knows nothing."""
import importlib

ratio = importlib.import_module("math").pi
kl_loss = ratio * 2
x = kl_loss
