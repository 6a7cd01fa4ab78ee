"""Finds the line of the program that is at work."""

import linecache
import os


def of_frame(run, frame):
    """Returns file (from the root), row, column (from 1, 0 where Python does not say, as
    before 3.11) and function of a frame."""
    if frame is None:
        return {"filename": None, "row": 0, "column": 0, "in": ""}
    column = 0
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is not None and frame.f_lasti >= 0:
        at = _nth(positions(), frame.f_lasti // 2)
        column = (at[2] or 0) + 1 if at and at[2] is not None else 0
    code = frame.f_code
    return {"filename": run.shown(code.co_filename), "row": frame.f_lineno, "column": column, "in": getattr(code, "co_qualname", code.co_name)}


def _nth(items, n):
    for i, item in enumerate(items):
        if i == n:
            return item
    return None


def of_node(run, node):
    """Returns the place at which a node of the graph was made in forward, from what anomaly
    mode keeps of it, or None."""
    lines = (node.metadata or {}).get("traceback_") or ()
    found = None
    for text in lines:
        entry = text.strip().splitlines()[0]
        name, _, rest = entry.partition('", line ')
        name = name[len('File "'):]
        if run.is_program(name):
            found = {"filename": run.shown(name), "row": int(rest.split(",")[0]), "column": 0, "in": rest.rpartition(" in ")[2]}
    return found


def source(run, place):
    """Returns the text of a place's line."""
    if not place or not place["filename"]:
        return ""
    return linecache.getline(os.path.join(run.root, place["filename"]), place["row"]).strip()

