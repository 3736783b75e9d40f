"""Checks JSON documents by a JSON Schema (draft 4) that is compiled into functions: for documents of thousands of items, which
jsonschema takes ten seconds for. It knows the keywords of SARIF's schema; an unknown one is an error."""

import json
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "null": type(None)}
SAYS_NOTHING = {"description", "default", "title", "id", "$schema", "definitions", "format"}  # format: nor to jsonschema


class FastSchema:
    def __init__(self, schema):
        self.schema = schema
        self.compiled = {}  # by reference
        self.check = self.compile(schema)

    def compile(self, schema):
        """The function that says whether a value is valid."""
        if "$ref" in schema:  # what stands beside it does not count
            return self.reference(schema["$ref"])
        checks = [getattr(self, keyword.lower())(value, schema) for keyword, value in schema.items() if keyword not in SAYS_NOTHING]
        return lambda value: all(check(value) for check in checks if check)

    def reference(self, name):
        def check(value):
            if name not in self.compiled:
                target = self.schema
                for step in name.removeprefix("#/").split("/"):
                    target = target[step]
                self.compiled[name] = self.compile(target)
            return self.compiled[name](value)
        return check

    def type(self, names, _):
        names = [names] if isinstance(names, str) else names
        kinds = tuple(TYPES[name] for name in names if name != "number") + ((int, float) if "number" in names else ())
        return lambda value: isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))

    def enum(self, allowed, _):
        return lambda value: value in allowed

    def pattern(self, text, _):
        found = re.compile(text).search
        return lambda value: not isinstance(value, str) or found(value) is not None

    def minimum(self, least, _):
        return lambda value: not isinstance(value, (int, float)) or value >= least

    def maximum(self, most, _):
        return lambda value: not isinstance(value, (int, float)) or value <= most

    def required(self, names, _):
        return lambda value: not isinstance(value, dict) or all(name in value for name in names)

    def properties(self, schemas, schema):
        checks = {name: self.compile(part) for name, part in schemas.items()}
        more = schema.get("additionalProperties", True)
        other = self.compile(more) if isinstance(more, dict) else lambda value: more
        return lambda value: not isinstance(value, dict) or all(checks.get(name, other)(item) for name, item in value.items())

    def additionalproperties(self, more, schema):
        return None if "properties" in schema else self.properties({}, schema)

    def items(self, schema, _):
        check = self.compile(schema)
        return lambda value: not isinstance(value, list) or all(map(check, value))

    def minitems(self, least, _):
        return lambda value: not isinstance(value, list) or len(value) >= least

    def uniqueitems(self, unique, _):
        return lambda value: not unique or not isinstance(value, list) or len({json.dumps(v, sort_keys=True) for v in value}) == len(value)

    def anyof(self, schemas, _):
        checks = [self.compile(part) for part in schemas]
        return lambda value: any(check(value) for check in checks)

    def oneof(self, schemas, _):
        checks = [self.compile(part) for part in schemas]
        return lambda value: sum(check(value) for check in checks) == 1
