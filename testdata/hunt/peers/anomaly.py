"""What torch.autograd.detect_anomaly says of a script.

Runs the script with anomaly detection on and check_nan=True. Where a backward function
returns NaN, torch raises an error and warns with the traceback of the forward call that
made the function; its last line in the script's folder is what is said.

Prints one line of JSON: {"how": "tool", "crash" or "", "filename", "row", "end_row", "message"}.
"""

import re
import warnings

import pinned
import torch

FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def watch(args):
    """Returns what anomaly detection said of one run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with torch.autograd.set_detect_anomaly(True, check_nan=True):
                pinned.run(args)
        except Exception as error:
            if "returned nan values" not in str(error):
                return pinned.crash(error, args)
            told = [str(w.message) for w in caught if "Traceback of forward call" in str(w.message)]
            filename, row = pinned.last_frame(FRAME.findall("".join(told)), args)
            return {"how": "tool", "filename": filename, "row": row, "end_row": row, "message": pinned.first_line(error)}
    return pinned.NOTHING


if __name__ == "__main__":
    pinned.tell(watch(pinned.arguments(__doc__.split("\n")[0])))
