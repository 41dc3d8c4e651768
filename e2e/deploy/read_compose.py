"""Reads a compose file whose variables are filled in. Prints it as JSON, with its anchors followed."""

import sys

from compose_spec import PyOptions

options = PyOptions()
options.apply_merge = True
compose = options.from_yaml(sys.stdin.read())
compose.validate()
sys.stdout.write(compose.to_json())
