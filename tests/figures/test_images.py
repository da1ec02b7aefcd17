"""Pictures as files."""

from __future__ import annotations

import struct
import sys
from types import ModuleType

import pytest

from rat_widgets.errors import ArgumentError, BrowserError, MissingPackageError
from rat_widgets.figures.images import write_image
from rat_widgets.figures.tree import tree_figure


@pytest.mark.images
def test_a_png_has_two_pixels_for_each_px(tmp_path, capfd, build):
    pytest.importorskip("kaleido", reason="kaleido is not installed")
    figure = tree_figure(build.view())
    path = write_image(figure, tmp_path / "tree.png")
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == (2200, 2 * figure.layout.height)
    assert len(data) > 50_000  # an empty page of this size is far smaller
    assert capfd.readouterr().out == ""


@pytest.mark.images
def test_a_pdf_is_written(tmp_path, build):
    pytest.importorskip("kaleido", reason="kaleido is not installed")
    path = write_image(tree_figure(build.view(), theme="dark"), str(tmp_path / "tree.PDF"))
    assert path.read_bytes().startswith(b"%PDF-")


def test_another_suffix_is_an_error_that_lists_the_accepted(tmp_path, build):
    with pytest.raises(ArgumentError, match=r"\.png, \.pdf"):
        write_image(tree_figure(build.view()), tmp_path / "tree.bmp")


def test_a_missing_folder_is_an_error(tmp_path, build):
    with pytest.raises(ArgumentError, match="does not exist"):
        write_image(tree_figure(build.view()), tmp_path / "none" / "tree.png")


def test_without_kaleido_the_error_names_the_extra(tmp_path, monkeypatch, build):
    monkeypatch.setitem(sys.modules, "kaleido", None)
    with pytest.raises(MissingPackageError, match=r"rat_widgets\[images\]"):
        write_image(tree_figure(build.view()), tmp_path / "tree.png")


def test_without_a_browser_the_error_says_what_to_do(tmp_path, monkeypatch, build):
    class ChromeNotFoundError(RuntimeError):
        pass

    def fail(*args, **kwargs):
        raise ChromeNotFoundError

    fake = ModuleType("kaleido")
    fake.PageGenerator = lambda **kwargs: None
    fake.calc_fig_sync = fail
    monkeypatch.setitem(sys.modules, "kaleido", fake)
    with pytest.raises(BrowserError, match="Hint: install Chromium"):
        write_image(tree_figure(build.view()), tmp_path / "tree.png")
    assert not (tmp_path / "tree.png").exists()
