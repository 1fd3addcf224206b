"""The tests mirror the tree of ``core``; this file makes ``from tests.fast_encoder import ...`` mean this folder."""
