"""The bill of materials of a delivery: CycloneDX 1.6 in JSON."""

from __future__ import annotations

import json
import uuid
from importlib.metadata import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parts import Part


def bill(packages: Sequence[Part], version: str, stamp: str) -> str:
    """Return the bill of zmon and the packages that are delivered with it; the same text from the same input.

    Args:
        packages: with the SHA-256 of every file that the index has of their version.
        version: of zmon.
        stamp: the time of the delivery as RFC 3339 has it.
    """
    components = [_component(part) for part in packages]
    names = " ".join(f"{part.name}=={part.version}" for part in packages)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'zmon=={version} {names} {stamp}')}",
        "version": 1,
        "metadata": {
            "timestamp": stamp,
            "component": {"type": "application", "bom-ref": "zmon", "name": "zmon", "version": version,
                          "licenses": [{"license": {"id": "Apache-2.0"}}]},
        },
        "components": components,
        "dependencies": [{"ref": "zmon", "dependsOn": [one["bom-ref"] for one in components]}],
    }  # fmt: skip
    return json.dumps(document, indent=2) + "\n"


def _component(part: Part) -> dict[str, Any]:
    about = metadata(part.name).json
    address = f"pkg:pypi/{part.name}@{part.version}"
    classes = [str(one).rpartition(":: ")[2] for one in about.get("classifier", []) if "License" in str(one)]
    licence = about.get("license_expression") or about.get("license") or ", ".join(classes)
    named = [{"license": {"name": str(licence).splitlines()[0]}}] if licence else []
    return {
        "type": "library", "bom-ref": address, "name": part.name, "version": part.version, "purl": address,
        "description": about.get("summary", ""), "licenses": named,
        "externalReferences": [
            {"type": "distribution", "url": f"https://pypi.org/project/{part.name}/{part.version}/",
             "hashes": [{"alg": "SHA-256", "content": digits} for digits in part.hashes]}
        ],
    }  # fmt: skip
