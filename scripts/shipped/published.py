"""Two published cases at their published shapes, in three dtypes each. Large: meant for a GPU."""

from scripts.shipped.spec import SHORT, Graph, Tensor

POOLING = ((1, 16, 384), (4, 128, 384), (8, 512, 768), (32, 64, 1024), (2, 2048, 768))  # batch, tokens, width
ROLL = ((35, 32, 384), (70, 64, 192), (133, 128, 96))  # padded side, kept side, channels


def masked_mean_pooling() -> list[Graph]:
    """Sentence encoders: the mean of the token vectors, without the padding; the mask is one column."""
    return [_pooling(dtype, *shape) for dtype in SHORT for shape in POOLING]


def _pooling(dtype: str, batch: int, tokens: int, width: int) -> Graph:
    lengths = [tokens - (5 * tokens * sentence) // (8 * batch) for sentence in range(batch)]  # 100 % down to 40 %
    mask = tuple(float(token < length) for length in lengths for token in range(tokens))
    return Graph(
        name=f"{SHORT[dtype]}_{batch}x{tokens}x{width}",
        model="sentence_encoder",
        tag="nlp",
        body=(
            "tmp_0 = in_0 * in_1",
            "tmp_1 = torch.sum(tmp_0, 1)",
            "tmp_2 = in_1.sum(1)",
            "tmp_3 = torch.clamp(tmp_2, min=1e-09)",
            "tmp_4 = tmp_1 / tmp_3",
        ),
        outputs=("tmp_4",),
        inputs=(
            Tensor((batch, tokens, width), dtype, std=4.0),
            Tensor((batch, tokens, 1), dtype, mean=0.7, std=0.46, data=mask),
        ),
    )


def roll_norm() -> list[Graph]:
    """Swin: the cyclic shift undone, padding cut off, then residual and layer norm."""
    return [_roll(dtype, *shape) for dtype in SHORT for shape in ROLL]


def _roll(dtype: str, side: int, kept: int, width: int) -> Graph:
    every = "slice(None, None, None)"
    cut = f"slice(None, {kept}, None)"
    return Graph(
        name=f"{SHORT[dtype]}_{side}to{kept}x{width}",
        model="swin_shifted_window",
        tag="cv",
        body=(
            "tmp_0 = torch.roll(in_3, shifts=(3, 3), dims=(1, 2))",
            f"tmp_1 = tmp_0[({every}, {cut}, {cut}, {every})]",
            "tmp_2 = tmp_1.contiguous()",
            f"tmp_3 = tmp_2.view(1, {kept * kept}, {width})",
            "tmp_4 = in_2 + tmp_3",
            f"tmp_5 = torch.nn.functional.layer_norm(tmp_4, ({width},), in_1, in_0, 1e-05)",
        ),
        outputs=("tmp_4", "tmp_5"),
        inputs=(
            Tensor((width,), dtype, std=0.5),
            Tensor((width,), dtype, mean=1.0, std=0.5),
            Tensor((1, kept * kept, width), dtype, std=5.0),
            Tensor((1, side, side, width), dtype, std=5.0),
        ),
    )
