"""Runs the tests of a file and prints what came of them: prove.py FILE.

The last line is RLVET-PROOF and JSON: {"result": "passed", "failed" or "error", "why",
"pytest": its exit code or null where it is not installed}. An assertion that fails, or a
gradient that gradcheck refuses, is a failure; anything else that is raised is an error.
"""

import importlib.util
import json
import sys
import traceback


def prove(path):
    try:
        spec = importlib.util.spec_from_file_location("proved", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["proved"] = module
        spec.loader.exec_module(module)
        for name, test in list(vars(module).items()):
            if name.startswith("test_"):
                test()
    except BaseException as error:
        traceback.print_exc()
        failed = isinstance(error, AssertionError) or type(error).__name__ == "GradcheckError"
        return {"result": "failed" if failed else "error", "why": "%s: %s" % (type(error).__name__, str(error)[:400])}
    return {"result": "passed", "why": ""}


def by_pytest(path):
    if importlib.util.find_spec("pytest") is None:
        return None
    import pytest

    return int(pytest.main(["-q", "-p", "no:cacheprovider", path]))


outcome = prove(sys.argv[1])
outcome["pytest"] = by_pytest(sys.argv[1])
print("\nRLVET-PROOF " + json.dumps(outcome))
