"""Collectors that yield batches of observations."""

import torch


class SyncDataCollector:
    def __init__(self, make, policy, frames_per_batch=8, total_frames=32, **options):
        self.frames, self.batches = frames_per_batch, total_frames // frames_per_batch

    def __iter__(self):
        return (torch.randn(self.frames, 3) for _ in range(self.batches))

    def update_policy_weights_(self):
        pass

    def shutdown(self):
        pass


MultiSyncDataCollector = SyncDataCollector
