"""What torch.autograd.detect_anomaly says of a script.

Runs the script with anomaly detection on and check_nan=True. Where a backward function returns
NaN, torch raises an error and warns with the traceback of the forward call that made the
function: the last line of it that is of the script's folder is what is said. Where the
script ends with another error, its own traceback is all that detect_anomaly leaves one
with, and its last line of the script's folder is said, as a plain crash.

Prints one line of JSON: {"detected", "filename", "row", "how": "anomaly|crash|", "message"}.
"""

import json
import os
import re
import traceback
import warnings

import pinned
import torch

FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def last_frame(frames, folder):
    """Returns the innermost file and row that are of the script's folder."""
    own = [(f, int(row)) for f, row in frames if pinned.inside(folder, f)]
    return own[-1] if own else ("", 0)


def watch(args):
    """Returns what anomaly detection said of one run."""
    folder = os.path.dirname(os.path.abspath(args.script))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with torch.autograd.set_detect_anomaly(True, check_nan=True):
                pinned.run(args.script, args.rest, args.pin)
        except Exception as error:
            found = [str(w.message) for w in caught if "Traceback of forward call" in str(w.message)]
            if "returned nan values" in str(error):
                frames, how = FRAME.findall("".join(found)), "anomaly"
            else:
                frames, how = [(f.filename, f.lineno) for f in traceback.extract_tb(error.__traceback__)], "crash"
            filename, row = last_frame(frames, folder)
            return {"detected": True, "filename": filename, "row": row, "how": how, "message": str(error).split("\n")[0][:200]}
    return {"detected": False, "filename": "", "row": 0, "how": "", "message": ""}


if __name__ == "__main__":
    said = watch(pinned.arguments(__doc__.split("\n")[0]))
    print("\n" + json.dumps(said))
