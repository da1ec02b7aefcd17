"""All benchmarks, one table: ``python bench/run.py [module ...]``.

Every module beside this one that has ``rows() -> list[dict]`` takes part. A row has name,
value and unit; where there is something to compare with also peer (what it is), peer_value
and ratio (how many times better than the peer). Results go to ``bench/results/latest.json``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import rat_widgets

HERE = Path(__file__).resolve().parent
PACKAGES = ("numpy", "scipy", "jax", "numpyro", "pandas", "polars", "duckdb", "pystan")


def main(names: list[str]) -> int:
    """Run the modules named, or all."""
    found = {path.stem: path for path in sorted(HERE.glob("*.py")) if path.stem != "run"}
    unknown = [name for name in names if name not in found]
    if unknown:
        print(f"No benchmark {unknown[0]!r}; there are {', '.join(found)}.", file=sys.stderr)
        return 2
    rows: list[dict[str, Any]] = []
    for name in names or found:
        module = _load(name, found[name])
        if hasattr(module, "rows"):
            rows += [{"module": name, **row} for row in module.rows()]
    print(_table(rows))
    _save(rows)
    return 0


def _load(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"bench_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _table(rows: list[dict[str, Any]]) -> str:
    cells = [("benchmark", "value", "unit", "ratio", "against")]
    for row in rows:
        ratio, peer = row.get("ratio"), row.get("peer") or ""
        cells.append(
            (
                f"{row['module']}: {row['name']}",
                f"{row['value']:.3g}",
                row["unit"],
                f"{ratio:.3g}" if ratio is not None else "",
                f"{peer} ({row['peer_value']:.3g} {row['unit']})" if "peer_value" in row else peer,
            )
        )
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
    return "\n".join(line.rstrip() for line in lines)


def _save(rows: list[dict[str, Any]]) -> None:
    target = HERE / "results" / "latest.json"
    target.parent.mkdir(exist_ok=True)
    content = {"rows": rows, "versions": _versions(), "cpus": os.cpu_count()}
    target.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _versions() -> dict[str, str]:
    # What is run, installed or not.
    versions = {"python": platform.python_version(), "rat_widgets": rat_widgets.__version__}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
