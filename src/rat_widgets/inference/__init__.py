"""From pattern counts to posterior draws: engines, and whether to trust what they drew."""

from rat_widgets.inference.convergence import ess_bulk, mcse_mean, r_hat
from rat_widgets.inference.diagnose import Diagnosis, Message
from rat_widgets.inference.draws import Draws
from rat_widgets.inference.engine import Engine, sample

__all__ = [
    "Diagnosis",
    "Draws",
    "Engine",
    "Message",
    "ess_bulk",
    "mcse_mean",
    "r_hat",
    "sample",
]
