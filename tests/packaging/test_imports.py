"""What is imported when: heavy packages wait until something needs them."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

HEAVY = ("jax", "jaxlib", "numpyro", "plotly", "anywidget", "ipywidgets", "polars", "duckdb")


def loaded_after(code: str) -> set[str]:
    """Heavy packages in `sys.modules` after the code has run in a fresh process."""
    tail = f"import sys, json; print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    ended = subprocess.run(
        [sys.executable, "-c", f"{textwrap.dedent(code)}\n{tail}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return set(json.loads(ended.stdout.splitlines()[-1]))


FRAME = """
import pandas as pd
import rat_widgets as rat
df = pd.DataFrame({"R": [1, 1, 0, 0, 1], "A": [0, 0, 1, 0, 1], "T": [1, 0, None, 0, None]})
"""


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_after("import rat_widgets") == set()


def test_reading_labels_loads_nothing_heavy() -> None:
    assert loaded_after(FRAME + "print(rat.Labels.from_frame(df).check())") == set()


def test_fitting_complete_labels_loads_nothing_heavy() -> None:
    assert loaded_after(FRAME + "rat.fit(df).summary()") == set()


def test_a_study_loads_nothing_heavy() -> None:
    code = "rat.study_allocation(rat.Theta.from_array([0.5] * 5), budgets=[9], replications=9)"
    assert loaded_after(f"import rat_widgets as rat; {code}.text()") == set()


def test_a_tree_of_complete_labels_loads_the_widget_and_neither_jax_nor_plotly() -> None:
    assert loaded_after(FRAME + "rat.tree(df)._repr_mimebundle_()") == {"anywidget", "ipywidgets"}


def test_a_report_loads_neither_jax_nor_plotly_nor_a_widget() -> None:
    code = FRAME + "import tempfile; rat.report(df, tempfile.mkdtemp() + '/report.html')"
    assert loaded_after(code) == set()
