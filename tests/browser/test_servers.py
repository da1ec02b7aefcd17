"""The Jupyter servers of the browser tests answer while a kernel starts."""

from __future__ import annotations

import asyncio
from pathlib import Path

from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager

from .jupyter.jupyter_server_config import StartedKernels


async def _listed_during_a_start(kernels: AsyncMappingKernelManager) -> list[int]:
    """How many kernels were listed at every step of the event loop while one started."""
    start = asyncio.ensure_future(kernels.start_kernel(kernel_name="python3"))
    listed = []
    try:
        while not start.done():
            listed.append(len(kernels.list_kernels()))
            await asyncio.sleep(0)
        listed.append(len(kernels.list_kernels()))
    finally:
        await start
        await kernels.shutdown_all(now=True)
    return listed


def test_a_list_leaves_out_a_kernel_that_is_starting(tmp_path: Path) -> None:
    listed = asyncio.run(_listed_during_a_start(StartedKernels(root_dir=str(tmp_path))))
    assert listed[0] == 0
    assert listed[-1] == 1
