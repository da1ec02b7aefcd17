"""Settings of the Jupyter servers that the browser tests start."""

from __future__ import annotations

from typing import Any

from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager


class StartedKernels(AsyncMappingKernelManager):
    """Lists the kernels that have started.

    The server answers a list with error 500 where a kernel is between its process and its first
    sign of activity, which a page that asks every few seconds meets now and then.
    """

    def kernel_model(self, kernel_id: str) -> dict[str, Any]:
        """What is told of a kernel; KeyError, which leaves it out of a list, until it started."""
        self._check_kernel_id(kernel_id)
        if not self._kernels[kernel_id].trait_has_value("last_activity"):
            raise KeyError(kernel_id)
        return super().kernel_model(kernel_id)


if "get_config" in globals():
    get_config().ServerApp.kernel_manager_class = StartedKernels  # type: ignore[name-defined]  # noqa: F821
