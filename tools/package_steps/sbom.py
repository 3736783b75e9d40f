"""The software bill of materials of a build, as CycloneDX 1.5 (cyclonedx.org)."""

import hashlib
import json
import uuid

from package_steps import third_party


def sbom(version, files, others, sources):
    """The bytes of the bill: `files` by name, and the libraries that are not Debian's, as (name, version, license).
    `sources` is the folder of the fetched sources."""
    components = [_debian(library, sources) for library in [*third_party.COMPILED, *third_party.HEADERS]]
    components += [_component(*row) for row in others]
    hashes = [
        {"type": "file", "name": name, "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}]}
        for name, content in sorted(files.items())
    ]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": _component("fakeprop", version, "BSD-3-Clause") | {"type": "application", "components": hashes}
        },
        "components": sorted(components, key=lambda component: component["name"]),
    }
    # Of the content, so that equal files have equal bills.
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document, sort_keys=True))}"
    return (json.dumps(document, indent=2, sort_keys=True) + "\n").encode()


def _component(name, version, license):
    known = {"license": {"name": license}} if license.startswith("LicenseRef-") else {"expression": license}
    return {"type": "library", "name": name, "version": version, "licenses": [known]}


def _debian(library, sources):
    version = third_party.version(library, sources)
    purl = f"pkg:deb/debian/{library.package}@{version}" + ("?arch=source" if library.sources else "")
    return _component(library.name, version, library.license) | {"purl": purl}
