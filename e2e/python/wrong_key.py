"""A key that is not valid makes weave.init fail at once, with words that say why."""

import json
import sys

import weave

try:
    weave.init(sys.argv[1])
except Exception as error:
    print(json.dumps({"type": type(error).__name__, "message": str(error)}))
else:
    raise AssertionError("the key was accepted")
