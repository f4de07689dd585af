"""Execute docs/notebook.ipynb in an empty folder and keep what it prints: `python docs/execute_notebook.py [OUT]`."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat

NOTEBOOK = Path(__file__).with_name("notebook.ipynb")


def execute(notebook: Path, folder: Path) -> Any:
    """The notebook with the outputs of a fresh kernel of this Python, started in ``folder``."""
    # A user's own settings of IPython and Jupyter must not show in the documentation.
    os.environ["IPYTHONDIR"] = os.environ["JUPYTER_CONFIG_DIR"] = str(folder / ".settings")
    os.environ["EDITSCOPE_CACHE"] = str(folder / ".cache")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    content = nbformat.read(notebook, as_version=4)
    where = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(content, timeout=300, kernel_name="python3", resources=where).execute()
    for cell in content.cells:
        cell.metadata.pop("execution", None)  # times of the clock
    content.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return content


def main() -> None:
    """Execute, then write whole or not at all."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else NOTEBOOK
    with tempfile.TemporaryDirectory() as folder:
        done = execute(NOTEBOOK, Path(folder))
    temporary = out.with_suffix(".tmp")
    nbformat.write(done, temporary)
    temporary.replace(out)


if __name__ == "__main__":
    main()
