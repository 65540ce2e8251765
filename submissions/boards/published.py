"""The table that was published with the benchmark: for reference, never ranked together with what is measured here."""

from dataclasses import dataclass

WHERE = "A30 24 GB, CUDA 12.8, PyTorch 2.9.1, Triton 3.5.1; 200 fusible tasks, 2,060 subgraphs"
SOURCE = "arXiv 2605.29357"


@dataclass(frozen=True)
class Published:
    """Shares are percentages of graphs, as printed."""

    author: str
    score: float
    g_mean: float
    correct: float
    fast_1: float


ROWS = (
    Published("eager", 1.000, 1.000, 100, 100),
    Published("TorchInductor (default mode)", 0.706, 0.846, 85.0, 20.3),
    Published("Claude-Sonnet-4.6", 0.448, 0.835, 61.9, 9.2),
    Published("Claude-Opus-4.6", 0.410, 0.922, 48.6, 9.8),
    Published("GPT-5.4", 0.410, 0.821, 54.6, 7.4),
    Published("Qwen3-30B-A3B, fine-tuned", 0.371, 0.809, 48.8, 5.3),
    Published("GLM-5.1", 0.240, 0.844, 33.5, 4.8),
    Published("Qwen3-4B, fine-tuned", 0.240, 0.808, 28.5, 3.0),
    Published("MiniMax-M2.7", 0.208, 0.653, 23.0, 1.0),
    Published("Qwen3-30B-A3B", 0.139, 0.693, 11.8, 0.6),
    Published("Qwen3-4B", 0.108, 0.953, 1.3, 0.2),
)
