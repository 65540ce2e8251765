"""What each name below `torch` is, for code outside `pattern` and `replacement_args`.

The tables say what is allowed; a name of torch that none of them knows computes.
"""

from enum import Enum, auto
from functools import lru_cache

from evaluator.integrity.analysis.words import words


class Kind(Enum):
    """What calling a torch name does, as far as the rules care."""

    BUFFER = auto()  # allocates without values
    TABLE = auto()  # allocates with values made from its arguments
    VIEW = auto()  # another view of its first argument
    COPY = auto()  # copies its first argument, or returns it
    FREE = auto()  # metadata, devices, contexts, decorators: nothing to say
    DECORATE = auto()  # returns the function it is given
    REGISTER = auto()  # operator registration
    TRACE = auto()  # graph building for patterns; running what it returns is delegation
    BASE = auto()  # a class to inherit from
    TENSOR = auto()  # the tensor class itself
    METHOD = auto()  # an unbound tensor method
    COMPUTE = auto()
    DELEGATE = auto()  # another compiler
    STREAM = auto()
    GUARD = auto()  # dispatcher internals
    PROBE = auto()  # tells how the code is being run
    SETTING = auto()  # changes how everything in the process runs, the baseline included
    PRECISION = auto()  # the same, but only the precision of matrix products
    UNPICKLE = auto()
    FILE = auto()
    NETWORK = auto()
    SUBPROCESS = auto()
    THREAD = auto()
    RAW = auto()  # memory by address
    CLOCK = auto()
    CHANCE = auto()  # random numbers, and where their generator stands: different in each call
    DEVICE_STATE = auto()  # tells what the device is doing: a timed call is another one than a first call
    SEARCH = auto()  # finds memory that was not given
    ALLOCATOR = auto()  # memory that belongs to no tensor
    WAIT = auto()  # the device does nothing for a while
    EMPTIES = auto()  # the allocator gives back what others would have got from it


def _names(prefix: str, words: str) -> list[str]:
    return [f"{prefix}.{word}" for word in words.split()]


_TABLE: dict[str, Kind] = {}


def _put(kind: Kind, prefix: str, words: str) -> None:
    _TABLE.update(dict.fromkeys(_names(prefix, words), kind))


VIEW_WORDS = """view view_as reshape reshape_as transpose permute unsqueeze squeeze expand expand_as flatten unflatten
narrow select t adjoint movedim moveaxis swapaxes swapdims as_strided detach detach_ chunk split split_with_sizes unbind
tensor_split unfold diagonal broadcast_to broadcast_tensors ravel alias unsafe_chunk unsafe_split hsplit vsplit dsplit
unsqueeze_ squeeze_ t_ transpose_ swapaxes_ swapdims_ view_as_real view_as_complex real imag slice atleast_1d atleast_2d
atleast_3d requires_grad_ retain_grad values indices T H mT mH data mv_view"""
COPY_WORDS = """contiguous to clone float half double bfloat16 int long short char byte bool type type_as cuda cpu
pin_memory cfloat cdouble"""
BUFFER_WORDS = """
    empty empty_like empty_strided empty_permuted new_empty new_empty_strided new zeros zeros_like new_zeros ones
    ones_like new_ones full full_like new_full"""
UNWRITTEN_WORDS = words("""empty empty_like empty_strided empty_permuted new_empty new_empty_strided new""")
METADATA_WORDS = """size stride numel nelement dim ndimension element_size data_ptr is_contiguous storage_offset
get_device is_floating_point is_complex untyped_storage storage item tolist is_pinned is_shared is_inference
record_stream is_set_to is_signed is_conj is_neg has_names dim_order const_data_ptr is_sparse register_hook
__len__ __hash__ __repr__ __str__ __format__ __bool__ __int__ __float__ __index__ __iter__ __getitem__ __class__
__contains__ __dir__ __sizeof__ is_nonzero is_same_size is_coalesced sym_size share_memory_ nonzero_static_shape"""
METADATA_ATTRIBUTES = words(
    """shape dtype device ndim is_cuda is_cpu is_xpu is_mps is_meta requires_grad layout itemsize nbytes names grad
    grad_fn is_leaf is_sparse is_quantized is_mkldnn output_nr volatile name __doc__"""
)

_TABLE["torch"] = Kind.COMPUTE
_put(Kind.BUFFER, "torch", BUFFER_WORDS)
_put(
    Kind.TABLE,
    "torch",
    """
        as_tensor tensor arange range scalar_tensor asarray from_numpy frombuffer eye linspace logspace tril_indices
        triu_indices""",
)
_put(Kind.VIEW, "torch", VIEW_WORDS)
_put(Kind.COPY, "torch", "clone")
_put(Kind.VIEW, "torch", "functional.split functional.broadcast_tensors functional.atleast_1d functional.atleast_2d")
_put(
    Kind.FREE,
    "torch",
    """device dtype Size finfo iinfo Generator is_tensor is_storage numel is_floating_point is_complex is_nonzero
    promote_types result_type can_cast get_default_dtype get_default_device broadcast_shapes layout memory_format
    set_grad_enabled is_same_size
    autocast amp manual_seed seed random set_rng_state
    get_num_threads get_num_interop_threads cuda backends version utils profiler futures types
    set_printoptions typename sym_int sym_max sym_min sym_float SymInt SymFloat SymBool
    are_deterministic_algorithms_enabled get_float32_matmul_precision hipversion
    Tag Stream_ptr cpu mps xpu accelerator mtia strided contiguous_format channels_last""",
)
_put(
    Kind.CHANCE,
    "torch",
    """
        rand randn randint randperm initial_seed get_rng_state random.initial_seed
        random.get_rng_state cuda.initial_seed cuda.get_rng_state""",
)
_put(Kind.PROBE, "torch", "is_grad_enabled is_inference_mode_enabled is_inference is_autocast_enabled _subclasses")
_put(
    Kind.DECORATE,
    "torch",
    """
        no_grad inference_mode enable_grad fx.wrap compiler.disable compiler.allow_in_graph _dynamo.disable
        _dynamo.allow_in_graph _dynamo.disallow_in_graph compiler.assume_constant_result
        _dynamo.assume_constant_result jit.ignore jit.unused jit.export jit.annotate compiler.substitute_in_graph
        _dynamo.nonstrict_trace _disable_dynamo""",
)
_put(
    Kind.PROBE,
    "torch",
    """
        compiler.is_compiling compiler.is_dynamo_compiling compiler.is_exporting _dynamo.is_compiling jit.is_scripting
        jit.is_tracing overrides.is_tensor_like overrides.has_torch_function""",
)
_put(
    Kind.DEVICE_STATE,
    "torch",
    """
        cuda.is_current_stream_capturing cuda.graphs.is_current_stream_capturing cuda.memory_allocated
        cuda.memory_reserved cuda.memory_stats cuda.max_memory_allocated cuda.max_memory_reserved cuda.memory_cached
        cuda.memory_summary cuda.memory_usage cuda.utilization cuda.clock_rate cuda.memory.memory_allocated
        cuda.memory.memory_reserved cuda.memory.memory_stats cuda.memory.max_memory_allocated
        cuda.memory.max_memory_reserved cuda.memory.memory_cached cuda.memory.memory_summary
        accelerator.memory_allocated accelerator.memory_reserved accelerator.memory_stats
        accelerator.max_memory_allocated accelerator.max_memory_reserved""",
)
_put(
    Kind.SEARCH,
    "torch",
    """
        cuda.memory_snapshot cuda.memory.memory_snapshot cuda.memory._snapshot cuda.memory._dump_snapshot
        cuda.memory._record_memory_history""",
)
_put(
    Kind.ALLOCATOR,
    "torch",
    """
        cuda.caching_allocator_alloc cuda.caching_allocator_delete cuda.memory.caching_allocator_alloc
        cuda.memory.caching_allocator_delete cuda.MemPool cuda.memory.MemPool cuda.use_mem_pool
        cuda.memory.use_mem_pool""",
)
_put(Kind.WAIT, "torch", "cuda._sleep cuda._busy_wait_for_flag")
_put(Kind.EMPTIES, "torch", "cuda.empty_cache cuda.memory.empty_cache accelerator.empty_cache cuda.ipc_collect")
_put(
    Kind.TRACE,
    "torch",
    "fx fx.Graph fx.GraphModule fx.symbolic_trace fx.Tracer fx.Interpreter fx.Proxy fx.replace_pattern",
)
_put(Kind.BASE, "torch", "nn.Module autograd.Function nn.Sequential nn.ModuleList nn.ModuleDict")
_put(
    Kind.TENSOR,
    "torch",
    """
        Tensor nn.Parameter nn.parameter.Parameter nn.Buffer nn.parameter.Buffer FloatTensor HalfTensor LongTensor
        IntTensor BoolTensor DoubleTensor""",
)
_put(Kind.REGISTER, "torch", "library _library")
_put(
    Kind.DELEGATE,
    "torch",
    """
        compile compiler jit _dynamo _inductor export _export onnx _functorch _lazy _higher_order_ops classes
        utils.cpp_extension ops.load_library cuda.graph cuda.CUDAGraph cuda.graphs cuda.make_graphed_callables
        cuda.jiterator cuda._compile_kernel fx.experimental _numpy""",
)
_put(
    Kind.STREAM,
    "torch",
    """
        cuda.Stream cuda.ExternalStream cuda.stream cuda.StreamContext cuda.set_stream Stream cuda.streams.Stream
        accelerator.set_stream""",
)
_put(
    Kind.GUARD,
    "torch",
    "_C utils._python_dispatch overrides _guards utils._mode_utils utils._device _dispatch _custom_ops _logging",
)
_put(
    Kind.COMPUTE,
    "torch",
    """
        _C._nn _C._VariableFunctions _C._fft _C._linalg _C._special _C._sparse _C._nested utils.checkpoint cuda.comm
        cuda.amp.GradScaler ops _refs _prims _decomp""",
)
_put(
    Kind.FREE,
    "torch",
    """
        _C._cuda_getCurrentRawStream _C._cuda_getDevice _C._cuda_getDeviceCount _C._functions _dynamo.mark_dynamic
        _inductor.runtime.triton_helpers
        _dynamo.graph_break cuda.synchronize cuda.current_stream cuda.Event nn.utils._stateless
        autograd.profiler autograd.no_grad autograd.enable_grad _utils _assert _check fx.node fx.Node fx.proxy
        jit.Final _prims_common""",
)
_put(
    Kind.SETTING,
    "torch",
    """
        set_num_threads set_num_interop_threads set_default_dtype set_default_device set_default_tensor_type
        use_deterministic_algorithms set_deterministic_debug_mode set_flush_denormal autograd.set_detect_anomaly
        autograd.detect_anomaly set_anomaly_enabled utils.deterministic backends.mkldnn.set_flags
        backends.cudnn.set_flags backends.quantized nn.modules.module cuda.memory.change_current_allocator
        cuda.memory.CUDAPluggableAllocator cuda.change_current_allocator cuda.CUDAPluggableAllocator
        cuda.set_per_process_memory_fraction cuda.memory.set_per_process_memory_fraction
        _dynamo.reset compiler.reset _dynamo.reset_code_caches
        _inductor.runtime.triton_helpers.set_driver_to_cpu _inductor.runtime.triton_helpers.set_driver_to_gpu
        utils._pytree.register_pytree_node utils._pytree._private_register_pytree_node utils._pytree.SUPPORTED_NODES
        autograd.graph""",
)
_put(Kind.PRECISION, "torch", "set_float32_matmul_precision")
_put(Kind.UNPICKLE, "torch", "load serialization package utils.serialization")
_put(Kind.FILE, "torch", "save from_file")
_put(Kind.NETWORK, "torch", "hub distributed utils.model_zoo")
_put(Kind.SUBPROCESS, "torch", "multiprocessing utils.data.DataLoader utils.collect_env utils.bottleneck")
_put(Kind.FREE, "torch", "nn.modules.module.Module utils._pytree")
_put(Kind.THREAD, "torch", "jit.fork jit._fork jit.wait")
_put(
    Kind.RAW,
    "torch",
    "utils.dlpack from_dlpack to_dlpack UntypedStorage TypedStorage storage FloatStorage _storage _utils_internal",
)
_put(Kind.CLOCK, "torch", "utils.benchmark")

TENSOR_CLASSES = frozenset(name for name, kind in _TABLE.items() if kind is Kind.TENSOR)
BUILTIN_NAMESPACES = words(
    """aten prim prims prims_common quantized quantized_decomposed mkldnn mkl onednn c10d _c10d_functional inductor
    debugprims rngprims higher_order triton fsdp profiler sparse xnnpack image torchvision _quantized nccl
    static_runtime symm_mem"""
)

_HARMLESS = (Kind.VIEW, Kind.COPY, Kind.BUFFER)
_VIEWS = words(VIEW_WORDS)
_COPIES = words(COPY_WORDS)
_BUFFERS = words(BUFFER_WORDS)
_METADATA = words(METADATA_WORDS)


@lru_cache(maxsize=4096)
def kind_of(name: str) -> Kind:
    """Kind of a dotted name that begins with "torch"; the longest known prefix decides."""
    if name.endswith("()"):
        made_by = kind_of(name[:-2])
        if made_by is Kind.REGISTER:
            return made_by
        return Kind.COMPUTE if made_by in (Kind.COMPUTE, Kind.TRACE, Kind.DELEGATE) else Kind.FREE
    parts = name.split(".")
    if len(parts) > 2 and ".".join(parts[:2]) == "torch.Tensor":
        return Kind.METHOD
    if len(parts) > 3 and parts[1:3] == ["ops", "aten"] and method_kind(parts[3]) in _HARMLESS:
        return method_kind(parts[3])
    for end in range(len(parts), 0, -1):
        known = _TABLE.get(".".join(parts[:end]))
        if known is not None:
            return _below(known, parts, end)
    return Kind.COMPUTE


def _below(kind: Kind, parts: list[str], end: int) -> Kind:
    """A name below a known one: a method of a tensor class is a method, a thing below a base class computes."""
    if kind is Kind.TENSOR and end < len(parts):
        return Kind.METHOD
    if kind is Kind.BASE and end < len(parts):
        return Kind.FREE
    if kind in (Kind.BUFFER, Kind.TABLE, Kind.VIEW, Kind.COPY) and end < len(parts):
        return Kind.FREE
    return kind


def method_kind(name: str) -> Kind:
    """Kind of a method (or attribute) of a tensor."""
    if name in _METADATA or name in METADATA_ATTRIBUTES:
        return Kind.FREE
    if name in _VIEWS:
        return Kind.VIEW
    if name in _COPIES:
        return Kind.COPY
    if name in _BUFFERS:
        return Kind.BUFFER
    if name == "new_tensor":
        return Kind.TABLE
    return Kind.COMPUTE


FILL_METHODS = frozenset(["zero_", "fill_"])
# methods that numbers have, too
NUMBER_METHODS = words("""as_integer_ratio bit_count bit_length conjugate hex is_integer to_bytes""")
