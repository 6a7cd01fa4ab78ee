"""Adds to a CycloneDX document of a Go program what is linked into it and is no Go module.

sbom.py DOCUMENT NAME, where NAME is that of the archive; the result is printed. It is as old as
SOURCE_DATE_EPOCH, so that the same program has the same document.
"""

import datetime
import json
import os
import sys


def part(name, license, address, description):
    return {"bom-ref": name, "type": "library", "name": name, "description": description,
            "licenses": [{"license": {"id": license}}], "externalReferences": [{"type": "vcs", "url": address}]}


PARTS = [
    part("tree-sitter", "MIT", "https://github.com/tree-sitter/tree-sitter", "in C, as github.com/smacker/go-tree-sitter holds it"),
    part("tree-sitter-python", "MIT", "https://github.com/tree-sitter/tree-sitter-python", "in C, as github.com/smacker/go-tree-sitter holds it"),
    part("icu", "ICU", "https://github.com/unicode-org/icu", "headers in C, as tree-sitter holds them"),
]
MUSL = part("musl", "MIT", "https://git.musl-libc.org/cgit/musl", "the C library, linked statically")

path, name = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    document = json.load(file)
parts = PARTS + [MUSL] * ("-linux-" in name)
document["components"] = document.get("components", []) + parts
document["metadata"]["component"]["name"] = name
born = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
document["metadata"]["timestamp"] = born.strftime("%Y-%m-%dT%H:%M:%SZ")
root = document["metadata"]["component"]["bom-ref"]
for dependency in document["dependencies"]:
    if dependency["ref"] == root:
        dependency["dependsOn"] = dependency.get("dependsOn", []) + [p["bom-ref"] for p in parts]
json.dump(document, sys.stdout, indent=2)
print()
