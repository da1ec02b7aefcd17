"""The contracts of pyproject.toml forbid what ARCHITECTURE.md says: each is broken here once."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Module, an import that must not be in it, and the beginning of the contract that says so.
FORBIDDEN = (
    ("labels/counts.py", "import rat_widgets.model.theta", "Layers"),
    ("model/worlds.py", "import rat_widgets.inference.draws", "Layers"),
    ("figures/theme.py", "import rat_widgets.report.page", "Layers"),
    ("errors.py", "import rat_widgets.views.wording", "Layers"),
    ("derived/policy.py", "import rat_widgets.views.wording", "Statistics"),
    ("inference/draws.py", "import plotly", "Statistics"),
    ("figures/theme.py", "import rat_widgets.derived.intervals", "Figures"),
    ("widgets/base.py", "import jax", "Figures"),
    ("present/rows.py", "import plotly.graph_objects", "Plotly"),
    ("report/page.py", "import anywidget", "anywidget"),
    ("workflow.py", "import plotly", "The facade"),
    ("views/wording.py", "import numpy", "Views"),
    ("widgets/base.py", "import pandas", "Widgets"),
    ("labels/table.py", "import scipy.stats", "Labels"),
    ("model/priors.py", "import pandas", "Tables"),
    ("present/rows.py", "def late():\n    import rat_widgets.widgets.base", "Layers"),
)
# What an import two modules away breaks as well.
INDIRECT = ("errors.py", "import plotly", ("Statistics", "Plotly", "Views"))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(
        ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "static")
    )
    return tmp_path


def broken(folder: Path) -> set[str]:
    """First words of the contracts that are broken in a copy of the sources."""
    program = Path(sys.executable).parent / "lint-imports"
    env = {**os.environ, "PYTHONPATH": str(folder / "src")}
    done = subprocess.run(
        [program, "--no-cache"],
        cwd=folder, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Contracts" in done.stdout, done.stdout + done.stderr
    lines = re.findall(r"^(.+?)\s*BROKEN", done.stdout, flags=re.MULTILINE)
    return {line.strip() for line in lines}


def test_every_contract_has_an_import_that_breaks_it() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    names = [c["name"] for c in settings["tool"]["importlinter"]["contracts"]]
    for name in names:
        assert any(name.startswith(start) for _, _, start in FORBIDDEN), name


@pytest.mark.parametrize(("module", "line", "contract"), FORBIDDEN)
def test_a_forbidden_import_breaks_its_contract(
    copy: Path, module: str, line: str, contract: str
) -> None:
    path = copy / "src" / "rat_widgets" / module
    path.write_text(path.read_text("utf-8") + f"\n{line}\n", encoding="utf-8")
    assert any(name.startswith(contract) for name in broken(copy))


def test_an_import_far_below_breaks_the_contracts_of_those_above(copy: Path) -> None:
    module, line, contracts = INDIRECT
    path = copy / "src" / "rat_widgets" / module
    path.write_text(path.read_text("utf-8") + f"\n{line}\n", encoding="utf-8")
    found = broken(copy)
    assert all(any(name.startswith(start) for name in found) for start in contracts)


def test_a_module_without_a_place_breaks_the_layers(copy: Path) -> None:
    (copy / "src" / "rat_widgets" / "helpers.py").write_text('"""No place."""\n', encoding="utf-8")
    assert any(name.startswith("Layers") for name in broken(copy))
