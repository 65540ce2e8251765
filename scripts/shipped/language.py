"""Graphs from language models."""

from scripts.shipped.spec import SHORT, Graph, Tensor


def masked_mean_pooling() -> list[Graph]:
    """Sentence encoders: the mean of the token vectors, without the padding."""
    return [
        _pooling("float32", width=48, tokens=12, lengths=(12, 7)),
        _pooling("float32", width=40, tokens=21, lengths=(5, 21, 16)),
        _pooling("float16", width=64, tokens=16, lengths=(9, 16)),
        _pooling("bfloat16", width=32, tokens=9, lengths=(9, 1, 4, 6)),
    ]


def _pooling(dtype: str, width: int, tokens: int, lengths: tuple[int, ...]) -> Graph:
    shape = (len(lengths), tokens, width)
    mask = tuple(float(t < length) for length in lengths for t in range(tokens) for _ in range(width))
    return Graph(
        name=f"{SHORT[dtype]}_{len(lengths)}x{tokens}x{width}",
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
        inputs=(Tensor(shape, dtype, std=4.0), Tensor(shape, dtype, mean=0.6, std=0.5, data=mask)),
    )


def gated_tanh_gelu() -> list[Graph]:
    """T5 1.1: the feed-forward block's GELU, written out, times the gate."""
    return [
        _gelu("float32", (2, 6, 32)),
        _gelu("float32", (3, 11, 50)),
        _gelu("float32", (1, 5, 128)),
        _gelu("bfloat16", (1, 7, 96)),
    ]


def _gelu(dtype: str, shape: tuple[int, ...]) -> Graph:
    return Graph(
        name=f"{SHORT[dtype]}_" + "x".join(map(str, shape)),
        model="t5_gated_feed_forward",
        tag="nlp",
        body=(
            "tmp_0 = 0.5 * in_0",
            "tmp_1 = torch.pow(in_0, 3.0)",
            "tmp_2 = 0.044715 * tmp_1",
            "tmp_3 = in_0 + tmp_2",
            "tmp_4 = 0.7978845608028654 * tmp_3",
            "tmp_5 = torch.tanh(tmp_4)",
            "tmp_6 = 1.0 + tmp_5",
            "tmp_7 = tmp_0 * tmp_6",
            "tmp_8 = tmp_7 * in_1",
            "tmp_9 = torch.nn.functional.dropout(tmp_8, 0.1, False, False)",
        ),
        outputs=("tmp_9",),
        inputs=(Tensor(shape, dtype, mean=0.3, std=4.0), Tensor(shape, dtype, mean=1.0, std=1.0)),
    )


def residual_layer_norm() -> list[Graph]:
    """BERT's output block: dropout, residual, layer norm."""
    return [
        _residual_norm("float32", (2, 14, 64)),
        _residual_norm("float32", (1, 23, 80)),
        _residual_norm("float16", (3, 8, 96)),
        _residual_norm("bfloat16", (2, 5, 128)),
    ]


def _residual_norm(dtype: str, shape: tuple[int, ...]) -> Graph:
    width = shape[-1]
    return Graph(
        name=f"{SHORT[dtype]}_" + "x".join(map(str, shape)),
        model="bert_output",
        tag="nlp",
        body=(
            "tmp_0 = torch.nn.functional.dropout(in_2, 0.1, False, False)",
            "tmp_1 = tmp_0 + in_3",
            f"tmp_2 = torch.nn.functional.layer_norm(tmp_1, ({width},), in_1, in_0, 1e-12)",
        ),
        outputs=("tmp_2",),
        inputs=(
            Tensor((width,), dtype, std=0.5),
            Tensor((width,), dtype, mean=1.0, std=0.5),
            Tensor(shape, dtype, std=5.0),
            Tensor(shape, dtype, std=5.0),
        ),
    )


def rms_norm() -> list[Graph]:
    """Llama: RMS norm computed in float32 and handed on in the model's dtype."""
    return [
        _rms_norm("float32", (2, 10, 64)),
        _rms_norm("float16", (1, 17, 96)),
        _rms_norm("bfloat16", (2, 9, 80)),
        _rms_norm("bfloat16", (1, 33, 128)),
    ]


def _rms_norm(dtype: str, shape: tuple[int, ...]) -> Graph:
    return Graph(
        name=f"{SHORT[dtype]}_" + "x".join(map(str, shape)),
        model="llama_rms_norm",
        tag="nlp",
        body=(
            "tmp_0 = in_1.to(torch.float32)",
            "tmp_1 = tmp_0.pow(2)",
            "tmp_2 = tmp_1.mean(-1, keepdim=True)",
            "tmp_3 = tmp_2 + 1e-06",
            "tmp_4 = torch.rsqrt(tmp_3)",
            "tmp_5 = tmp_0 * tmp_4",
            f"tmp_6 = tmp_5.to(torch.{dtype})",
            "tmp_7 = in_0 * tmp_6",
        ),
        outputs=("tmp_7",),
        inputs=(Tensor((shape[-1],), dtype, mean=1.0, std=0.5), Tensor(shape, dtype, std=5.0)),
    )


def attention_softmax() -> list[Graph]:
    """Eager attention: scale, causal mask, softmax in float32, back to the model's dtype."""
    return [
        _attention("float32", batch=2, heads=2, tokens=12, scale="0.25"),
        _attention("float32", batch=1, heads=3, tokens=19, scale="0.17677669529663687"),
        _attention("float16", batch=2, heads=2, tokens=16, scale="0.125"),
        _attention("bfloat16", batch=1, heads=4, tokens=10, scale="0.125"),
    ]


def _attention(dtype: str, batch: int, heads: int, tokens: int, scale: str) -> Graph:
    causal = tuple(0.0 if k <= q else -10000.0 for q in range(tokens) for k in range(tokens))
    return Graph(
        name=f"{SHORT[dtype]}_{batch}x{heads}x{tokens}",
        model="causal_attention",
        tag="nlp",
        body=(
            f"tmp_0 = in_0 * {scale}",
            "tmp_1 = tmp_0 + in_1",
            "tmp_2 = torch.nn.functional.softmax(tmp_1, dim=-1, dtype=torch.float32)",
            f"tmp_3 = tmp_2.to(torch.{dtype})",
            "tmp_4 = torch.nn.functional.dropout(tmp_3, p=0.0, training=False)",
        ),
        outputs=("tmp_4",),
        inputs=(
            Tensor((batch, heads, tokens, tokens), dtype, std=20.0),
            Tensor((1, 1, tokens, tokens), dtype, data=causal),
        ),
    )


def rotary_embedding() -> list[Graph]:
    """Llama: rotary position embedding of queries and keys, which share one table of cosines and sines."""
    return [
        _rotary("float32", batch=1, heads=4, groups=2, tokens=8, width=16),
        _rotary("float32", batch=2, heads=3, groups=1, tokens=13, width=24),
        _rotary("float16", batch=1, heads=4, groups=4, tokens=10, width=32),
        _rotary("bfloat16", batch=1, heads=2, groups=1, tokens=7, width=20),
    ]


def _rotary(dtype: str, batch: int, heads: int, groups: int, tokens: int, width: int) -> Graph:
    half = width // 2
    table = Tensor((batch, 1, tokens, width), dtype, std=3.5, low=-1.0, high=1.0)
    return Graph(
        name=f"{SHORT[dtype]}_{batch}x{heads}x{tokens}x{width}",
        model="llama_rotary_embedding",
        tag="nlp",
        body=(*_rotate("in_0", 0, half), *_rotate("in_1", 7, half)),
        outputs=("tmp_6", "tmp_13"),
        inputs=(
            Tensor((batch, heads, tokens, width), dtype, std=5.0),
            Tensor((batch, groups, tokens, width), dtype, std=5.0),
            table,
            table,
        ),
    )


def _rotate(x: str, first: int, half: int) -> tuple[str, ...]:
    t = [f"tmp_{first + i}" for i in range(7)]
    return (
        f"{t[0]} = {x} * in_2",
        f"{t[1]} = {x}[(Ellipsis, slice(None, {half}, None))]",
        f"{t[2]} = {x}[(Ellipsis, slice({half}, None, None))]",
        f"{t[3]} = -{t[2]}",
        f"{t[4]} = torch.cat(({t[3]}, {t[1]}), dim=-1)",
        f"{t[5]} = {t[4]} * in_3",
        f"{t[6]} = {t[0]} + {t[5]}",
    )
