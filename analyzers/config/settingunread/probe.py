"""CFG025: the setting, and a second run in which it is doubled (rlvet_harness/settings.py).

The same losses and trained parameters, bit for bit, confirm. Different ones refute.
"""

from rlvet_harness.settings import Setting


class SettingUnread(Setting):
    """Watches a setting at its definition."""

    needs = "a second run with another setting that came to other losses or parameters"
