#!/bin/sh
# Prints a Python that can make a virtual environment: 3.12 if there is one, else the newest
# from 3.11 on. A name that exists but does not run (a version manager's shim) is passed over.
works() {
  "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
    >/dev/null 2>&1
}
for version in 3.12 3.13 3.11; do
  for candidate in "python$version" "$HOME"/.pyenv/versions/"$version"*/bin/python \
    "/usr/local/bin/python$version" "/usr/bin/python$version"; do
    if works "$candidate"; then
      echo "$candidate"
      exit 0
    fi
  done
done
for candidate in python3 python; do
  if works "$candidate"; then
    echo "$candidate"
    exit 0
  fi
done
echo "No Python 3.11, 3.12 or 3.13 with venv was found. Install one, or run: make PYTHON=/path/to/python ..." >&2
exit 1
