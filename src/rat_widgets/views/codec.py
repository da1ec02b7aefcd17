"""Frozen dataclasses to JSON and back, checked against their own annotations.

One reader serves every view, so that a view's fields are written down once. The same
annotations make the TypeScript types (``scripts/generate_contract.py``).
"""

from __future__ import annotations

import dataclasses
import json
import sys
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from rat_widgets.errors import ViewError

__all__ = ["from_dict", "from_json", "to_dict", "to_json"]

T = TypeVar("T")


def to_dict(value: Any) -> Any:
    """Plain dicts, lists, numbers and texts, ready for `json.dumps`."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_dict(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: to_dict(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [to_dict(item) for item in value]
    return value


def to_json(value: Any) -> str:
    """Compact JSON; NaN and infinity are refused, since JSON has neither."""
    return json.dumps(to_dict(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_json(cls: type[T], text: str) -> T:
    """The dataclass `cls` read from JSON.

    Raises
    ------
    ViewError
        When the text is not JSON, or does not fit the annotations of `cls`.
    """
    try:
        data = json.loads(text)
    except TypeError as err:
        raise ViewError.build(
            f"Expected the JSON of a {cls.__name__}; got {type(text).__name__}.",
            accepted="Text, as `to_json` writes it.",
            hint="`from_dict` reads plain values.",
        ) from err
    except (ValueError, RecursionError) as err:
        raise ViewError.build(
            f"Expected the JSON of a {cls.__name__}; got text that is not JSON ({err}).",
            accepted="Text, as `to_json` writes it.",
        ) from err
    return from_dict(cls, data)


def from_dict(cls: type[T], data: Any) -> T:
    """The dataclass `cls` read from plain dicts and lists; unknown and missing keys are errors."""
    return typing.cast(T, _read(cls, data, cls.__name__))


def _fail(expected: str, got: Any, where: str) -> ViewError:
    shown = repr(got)
    return ViewError.build(
        f"At {where}: expected {expected}; got {shown if len(shown) < 80 else shown[:77] + '...'}.",
        hint="the value was written by another version of rat_widgets, or edited by hand.",
    )


def _read(hint: Any, data: Any, where: str) -> Any:
    origin = get_origin(hint)
    if dataclasses.is_dataclass(hint):
        return _read_dataclass(hint, data, where)
    if origin in (Union, types.UnionType):
        return _read_union(get_args(hint), data, where)
    if origin is Literal:
        options = get_args(hint)
        if data not in options or isinstance(data, bool) is not isinstance(options[0], bool):
            raise _fail(f"one of {list(options)}", data, where)
        return data
    if origin is tuple:
        return _read_tuple(get_args(hint), data, where)
    if origin in (dict, Mapping) or hint is dict:
        if not isinstance(data, Mapping):
            raise _fail("an object", data, where)
        of = get_args(hint)[1]
        return {str(key): _read(of, item, f"{where}.{key}") for key, item in data.items()}
    return _read_scalar(hint, data, where)


def _read_dataclass(cls: Any, data: Any, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise _fail(f"a {cls.__name__} object", data, where)
    hints = typing.get_type_hints(cls)
    fields = {f.name: f for f in dataclasses.fields(cls)}
    unknown = [key for key in data if key not in fields]
    if unknown:
        raise _fail(f"keys among {sorted(fields)}", unknown[0], where)
    values = {}
    for name, field in fields.items():
        if name in data:
            values[name] = _read(hints[name], data[name], f"{where}.{name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise _fail(f"a key {name!r}", sorted(data), where)
    return cls(**values)


def _read_union(options: tuple[Any, ...], data: Any, where: str) -> Any:
    if data is None and type(None) in options:
        return None
    errors = []
    for option in options:
        if option is type(None):
            continue
        try:
            return _read(option, data, where)
        except ViewError as err:
            errors.append(err)
    raise errors[-1]


def _read_tuple(args: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(data, (list, tuple)):
        raise _fail("a list", data, where)
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(_read(args[0], item, f"{where}[{i}]") for i, item in enumerate(data))
    if len(data) != len(args):
        raise _fail(f"a list of {len(args)}", data, where)
    return tuple(_read(of, item, f"{where}[{i}]") for i, (of, item) in enumerate(zip(args, data)))


def _read_scalar(hint: Any, data: Any, where: str) -> Any:
    if hint is float:
        is_number = isinstance(data, (int, float)) and not isinstance(data, bool)
        if not is_number or not abs(data) <= sys.float_info.max:
            raise _fail("a finite number", data, where)
        return float(data)
    if hint is int:
        whole = isinstance(data, int) or (isinstance(data, float) and data.is_integer())
        if isinstance(data, bool) or not whole:
            raise _fail("a whole number", data, where)
        return int(data)
    if hint in (str, bool):
        if not isinstance(data, hint):
            raise _fail("a text" if hint is str else "true or false", data, where)
        return data
    raise TypeError(f"No reader for the annotation {hint!r} at {where}.")
