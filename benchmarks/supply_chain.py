"""Makes what a release says of its parts: versions to test with, licences, a bill of materials.

    python benchmarks/supply_chain.py constraints [3.10 3.12 …]   constraints/VERSION.txt, by uv (pip install uv)
    python benchmarks/supply_chain.py licences [-o docs/licences.md]
    python benchmarks/supply_chain.py sbom [-o sbom.cdx.json]     CycloneDX 1.6, to attach to a release
    python benchmarks/supply_chain.py audit                       pip-audit --strict (pip install pip-audit)

Licences and the bill of materials are those of what is installed here for running Rhetree, its extras included as far
as they are installed. The audit is of the versions in constraints/, and says "not audited" where the list of
vulnerabilities cannot be reached.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = {"3.11": "dev"}
"""The extra that CI tests on each Python; ``test`` on the others."""
_CUDA = re.compile(r"(nvidia|cuda|triton)\b")
"""Packages that only torch's builds for CUDA need; our tests run on its build for CPUs."""
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(\[[^\]]*\])?[^;]*(;.*)?")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("constraints").add_argument("pythons", nargs="*", default=PYTHONS)
    commands.add_parser("licences").add_argument(
        "-o", "--output", type=Path, default=ROOT / "docs" / "licences.md"
    )
    commands.add_parser("sbom").add_argument("-o", "--output", type=Path, default=Path("sbom.cdx.json"))
    commands.add_parser("audit")
    args = parser.parse_args()
    if args.command == "audit":
        return audit()
    if args.command == "constraints":
        for version in args.pythons:
            constrain(version)
    elif args.command == "licences":
        args.output.write_text("\n".join(licence_page()) + "\n", encoding="utf-8")
    else:
        args.output.write_text(json.dumps(bill_of_materials(), indent=1) + "\n", encoding="utf-8")
    return 0


def constrain(version: str) -> None:
    """Write the newest versions that fit together on a Python: names and versions, no hosts and no hashes."""
    target = ROOT / "constraints" / f"{version}.txt"
    target.parent.mkdir(exist_ok=True)
    extra = EXTRAS.get(version, "test")
    command = ["uv", "pip", "compile", "pyproject.toml", "--extra", extra, "--python-version", version]
    options = ["--no-annotate", "--no-header", "--no-emit-index-url", "--quiet", "--universal"]
    found = subprocess.run([*command, *options], cwd=ROOT, check=True, capture_output=True, encoding="utf-8")
    lines = [line for line in found.stdout.splitlines() if not _CUDA.match(line)]
    header = f"# python benchmarks/supply_chain.py constraints {version}"
    target.write_text("".join(f"{line}\n" for line in [header, *lines]), encoding="utf-8")


def installed(name: str = "rhetree") -> dict[str, Distribution]:
    """The packages that one needs at run time, with all extras of it that are installed, by their names."""
    found: dict[str, Distribution] = {}
    waiting = [name]
    while waiting:
        try:
            own = distribution(waiting.pop())
        except PackageNotFoundError:
            continue
        key = re.sub(r"[-_.]+", "-", own.metadata["Name"]).lower()
        if key in found:
            continue
        found[key] = own
        for line in own.requires or ():
            match = _REQUIREMENT.match(line)
            is_for_us = key == name and not re.search(r"extra == ['\"](dev|test)['\"]", line)
            if match and (is_for_us or "extra ==" not in line):
                waiting.append(match[1])
    return dict(sorted(found.items()))


def licence_of(package: Distribution) -> str:
    """What a package says of its licence: the expression, else the classifiers, else the beginning of the text."""
    about = package.metadata
    if about.get("License-Expression"):
        return about["License-Expression"]
    named = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier", [])
        if line.startswith("License ::")
    ]
    text = (about.get("License") or "").strip().splitlines()
    return ", ".join(named) or (text[0][:60] if text else _by_its_text(package))


def _by_its_text(package: Distribution) -> str:
    """The licence whose text comes with a package that names none."""
    for path in package.files or ():
        if path.name.upper().startswith(("LICENSE", "LICENCE", "COPYING")):
            text = " ".join(path.read_text(encoding="utf-8").split())
            if "Permission is hereby granted, free of charge" in text and "WITHOUT WARRANTY" in text:
                return "MIT, by the text that comes with it"
    return "not stated"


def licence_page() -> Iterator[str]:
    yield "# Licences\n"
    yield "Rhetree is under the MIT licence. What it needs at run time, with its extras, states these licences in its metadata."
    yield "`python benchmarks/supply_chain.py licences` makes this page.\n"
    yield "| package | licence |\n| --- | --- |"
    for name, package in installed().items():
        if name != "rhetree":
            yield f"| {name} | {licence_of(package).replace('|', '/')} |"


def bill_of_materials() -> dict:
    """A CycloneDX document: Rhetree, and each package with its version and licence."""
    packages = installed()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _component("rhetree", packages.pop("rhetree"), "application")},
        "components": [_component(name, package) for name, package in packages.items()],
    }


def _component(name: str, package: Distribution, kind: str = "library") -> dict:
    reference = f"pkg:pypi/{name}@{package.version}"
    return {
        "type": kind,
        "bom-ref": reference,
        "name": name,
        "version": package.version,
        "purl": reference,
        "licenses": [{"license": {"name": licence_of(package)}}],
    }


def audit() -> int:
    """Look for known vulnerabilities in the versions of all constraints; returns an exit code.

    Those are versions of the index, unlike what is installed here: Rhetree itself and torch's build for CPUs are not
    on it. Whatever keeps us from looking is "not audited", never "clean".
    """
    outcomes = [audit_versions(ROOT / "constraints" / f"{version}.txt") for version in PYTHONS]
    return max(outcomes)


def audit_versions(path: Path) -> int:
    """Look at the versions of one file."""
    options = ["--strict", "--no-deps", "--disable-pip", "--requirement", str(path)]
    try:
        found = subprocess.run(
            [sys.executable, "-m", "pip_audit", *options], capture_output=True, encoding="utf-8", timeout=600
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{path.name}: not audited: {error}")
        return 1
    report = f"{found.stdout}\n{found.stderr}"
    if "No known vulnerabilities found" in report:
        print(f"{path.name}: audited, no known vulnerabilities")
        return 0
    if re.search(r"known vulnerabilit", report):
        print(f"{path.name}: {report}")
        return 1
    print(f"{path.name}: not audited: {' '.join(report.split())[-300:]}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
