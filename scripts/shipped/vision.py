"""Graphs from vision models."""

from scripts.shipped.spec import SHORT, Graph, Tensor


def shifted_window_norm() -> list[Graph]:
    """Swin: windows put back in place, the cyclic shift undone, padding cut off, then residual and layer norm."""
    return [
        _shifted_window("float32", batch=1, windows=3, window=4, kept=10, shift=2, width=24),
        _shifted_window("float32", batch=1, windows=2, window=7, kept=13, shift=3, width=32),
        _shifted_window("float16", batch=2, windows=2, window=5, kept=8, shift=2, width=48),
        _shifted_window("bfloat16", batch=1, windows=3, window=3, kept=7, shift=1, width=40),
    ]


def _shifted_window(dtype: str, batch: int, windows: int, window: int, kept: int, shift: int, width: int) -> Graph:
    side = windows * window
    every = "slice(None, None, None)"
    cut = f"slice(None, {kept}, None)"
    tokens = Tensor((batch, kept * kept, width), dtype, std=5.0)
    return Graph(
        name=f"{SHORT[dtype]}_{side}to{kept}x{width}",
        model="swin_shifted_window",
        tag="cv",
        body=(
            "tmp_0 = in_3.contiguous()",
            f"tmp_1 = tmp_0.view(-1, {side}, {side}, {width})",
            f"tmp_2 = torch.roll(tmp_1, shifts=({shift}, {shift}), dims=(1, 2))",
            f"tmp_3 = tmp_2[({every}, {cut}, {cut}, {every})]",
            "tmp_4 = tmp_3.contiguous()",
            f"tmp_5 = tmp_4.view({batch}, {kept * kept}, {width})",
            "tmp_6 = in_2 + tmp_5",
            f"tmp_7 = torch.nn.functional.layer_norm(tmp_6, ({width},), in_1, in_0, 1e-05)",
        ),
        outputs=("tmp_6", "tmp_7"),
        inputs=(
            Tensor((width,), dtype, std=0.5),
            Tensor((width,), dtype, mean=1.0, std=0.5),
            tokens,
            Tensor((batch, windows, window, windows, window, width), dtype, std=5.0),
        ),
    )


def squeeze_excite_gate() -> list[Graph]:
    """SE-ResNet: channel means, a bottleneck of two 1 × 1 convolutions, and the gate over the feature map."""
    return [
        _squeeze_excite("float32", batch=2, channels=16, squeezed=4, side=8),
        _squeeze_excite("float32", batch=1, channels=40, squeezed=10, side=7),
        _squeeze_excite("float16", batch=2, channels=24, squeezed=6, side=6),
        _squeeze_excite("bfloat16", batch=3, channels=12, squeezed=3, side=5),
    ]


def _squeeze_excite(dtype: str, batch: int, channels: int, squeezed: int, side: int) -> Graph:
    return Graph(
        name=f"{SHORT[dtype]}_{batch}x{channels}x{side}x{side}",
        model="se_resnet_gate",
        tag="cv",
        body=(
            "tmp_0 = in_4.mean((2, 3), keepdim=True)",
            "tmp_1 = torch.conv2d(tmp_0, in_1, in_0, (1, 1), (0, 0), (1, 1), 1)",
            "tmp_2 = torch.nn.functional.relu(tmp_1, inplace=True)",
            "tmp_3 = torch.conv2d(tmp_2, in_3, in_2, (1, 1), (0, 0), (1, 1), 1)",
            "tmp_4 = torch.sigmoid(tmp_3)",
            "tmp_5 = in_4 * tmp_4",
        ),
        outputs=("tmp_5",),
        inputs=(
            Tensor((squeezed,), dtype, std=0.5),
            Tensor((squeezed, channels, 1, 1), dtype, std=1.0),
            Tensor((channels,), dtype, std=0.5),
            Tensor((channels, squeezed, 1, 1), dtype, std=1.0),
            Tensor((batch, channels, side, side), dtype, mean=0.4, std=5.0),
        ),
    )
