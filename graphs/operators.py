"""What kind of operator a node is, and what to write on it. By name alone: nothing is looked up in torch."""

from typing import Literal

from graphs.fx_source import FxNode, Ref
from graphs.fx_source.model import Arg
from graphs.fx_source.operators import IN_PLACE, INFIX, PREFIX

OperatorClass = Literal["pointwise", "reduction", "normalisation", "matmul", "view", "gather", "random", "other"]

_NAMES: dict[OperatorClass, str] = {
    "pointwise": """
        abs absolute acos acosh add addcdiv addcmul and angle asin asinh atan atan2 atanh bfloat16 bitwise_and
        bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bool byte cdouble ceil celu cfloat
        chalf clamp clamp_max clamp_min clip conj copysign cos cosh deg2rad digamma div divide double elu eq erf erfc
        erfinv exp exp2 expm1 float float_power floor floor_divide floordiv fmax fmin fmod frac gcd ge gelu glu
        greater greater_equal gt half hardshrink hardsigmoid hardswish hardtanh heaviside hypot imag int invert
        isfinite isinf isnan ldexp le leaky_relu lerp less less_equal lgamma log log10 log1p log2 logaddexp
        logical_and logical_not logical_or logical_xor logit logsigmoid long lshift lt masked_fill maximum minimum
        mish mod mul multiply nan_to_num ne neg negative nextafter not not_equal or polar polygamma pos positive pow
        prelu quantize_per_tensor rad2deg real reciprocal relu relu6 remainder round rrelu rshift rsqrt rsub selu
        sgn short sigmoid sign signbit silu sin sinc sinh softplus softshrink softsign sqrt square sub subtract
        tan tanh tanhshrink threshold to true_divide truediv trunc type type_as view_as_complex view_as_real where
        xlogy xor tril triu gelu_backward threshold_backward sigmoid_backward tanh_backward silu_backward""",
    "reduction": """
        adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
        adaptive_max_pool3d all amax amin aminmax any argmax argmin avg_pool1d avg_pool2d avg_pool3d
        binary_cross_entropy binary_cross_entropy_with_logits bincount count_nonzero cross_entropy cummax cummin
        cumprod cumsum dist histc kl_div kthvalue l1_loss logcumsumexp logsumexp lp_pool1d lp_pool2d max max_pool1d
        max_pool2d max_pool2d_with_indices max_pool3d mean median min mode mse_loss nanmean nansum nll_loss norm
        nuclear_norm prod quantile smooth_l1_loss std std_mean sum trace trapezoid var var_mean vector_norm
        segment_reduce embedding_bag""",
    "normalisation": """
        batch_norm cosine_similarity group_norm gumbel_softmax instance_norm layer_norm local_response_norm
        log_softmax native_batch_norm native_group_norm native_layer_norm normalize renorm rms_norm softmax softmin
        weight_norm native_layer_norm_backward softmax_backward_data _softmax _log_softmax""",
    "matmul": """
        addbmm addmm addmv addr baddbmm bilinear bmm chain_matmul conv1d conv2d conv3d conv_tbc conv_transpose1d
        conv_transpose2d conv_transpose3d convolution convolution_backward dot einsum ger gru gru_cell inner kron
        linear lstm lstm_cell matmul mm multi_dot multi_head_attention_forward mv outer rnn_relu rnn_tanh
        scaled_dot_product_attention tensordot vdot _scaled_mm _grouped_mm""",
    "view": """
        as_strided atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors broadcast_to cat channel_shuffle
        chunk clone column_stack concat concatenate contiguous copy cpu cuda detach diag diag_embed diagonal dsplit
        dstack expand expand_as flatten flip fliplr flipud fold getitem hsplit hstack interpolate lift_fresh_copy
        mH mT moveaxis movedim narrow native_channel_shuffle pad permute pixel_shuffle pixel_unshuffle ravel repeat
        repeat_interleave reshape reshape_as resize resolve_conj roll rot90 select slice split split_with_sizes
        squeeze stack swapaxes swapdims t tensor_split tile transpose unbind unflatten unfold unsafe_split unsqueeze
        upsample view view_as vsplit vstack T H""",
    "gather": """
        argsort bucketize embedding gather grid_sample index index_add index_copy index_fill index_put
        index_select isin masked_scatter masked_select msort nonzero one_hot put scatter scatter_add scatter_reduce
        searchsorted setitem sort take take_along_dim topk unique unique_consecutive embedding_dense_backward""",
    "random": """
        alpha_dropout bernoulli cauchy dropout dropout1d dropout2d dropout3d exponential feature_alpha_dropout
        feature_dropout geometric multinomial native_dropout normal poisson rand rand_like randint randint_like
        randn randn_like random randperm uniform""",
}
_CLASS_OF: dict[str, OperatorClass] = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_IN_PLACE_NAMES = frozenset(f"operator.{name}" for name in IN_PLACE.values())
_VIEW_ATTRIBUTES = frozenset({"T", "H", "mT", "mH", "real", "imag", "data"})


def operator_class(node: FxNode) -> OperatorClass:
    """One of the eight classes by which the graph is tinted; inputs, outputs and unknown operators are "other"."""
    if node.op not in ("call_function", "call_method"):
        return "other"
    if node.target == "getattr":
        return "view" if len(node.args) > 1 and node.args[1] in _VIEW_ATTRIBUTES else "other"
    if node.target == "operator.getitem":
        return "gather" if _picks_by_tensor(node.args[1:]) else "view"
    name = operator_name(node)
    if node.target in _IN_PLACE_NAMES:
        name = name.removeprefix("i")
    return _CLASS_OF.get(name) or _CLASS_OF.get(name.rstrip("_")) or _CLASS_OF.get(name.lstrip("_")) or "other"


def operator_name(node: FxNode) -> str:
    """The bare name of what is called: "layer_norm", "sum" (of torch.ops.aten.sum.dim_IntList), "add", "view"."""
    parts = node.target.split(".")
    return parts[3] if node.target.startswith("torch.ops.") and len(parts) > 3 else parts[-1]


def operator_label(node: FxNode) -> str:
    """What is written on the node: "layer_norm", "+", "[ ]", ".shape"."""
    if node.op in ("placeholder", "get_attr", "output"):
        return node.target
    if node.target in INFIX:
        return INFIX[node.target]
    if node.target in PREFIX:
        return PREFIX[node.target].strip()
    if node.target in _IN_PLACE_NAMES:
        pure = f"operator.{operator_name(node)[1:]}"
        return INFIX.get(pure, INFIX.get(f"{pure}_", "")) + "="
    if node.target == "operator.getitem":
        return "[ ]"
    if node.target == "operator.setitem":
        return "[ ]="
    if node.target == "getattr" and len(node.args) > 1:
        return f".{node.args[1]}"
    return operator_name(node)


def _picks_by_tensor(index: Arg) -> bool:
    """Whether a subscript holds a value of the graph (outside of a slice): that gathers, the rest is a view."""
    if isinstance(index, (tuple, list)):
        return any(map(_picks_by_tensor, index))
    return isinstance(index, Ref)
