"""What Python's own modules and other packages may be used for: a table from dotted names to finding classes.

Whatever is not named here is not judged by name. The longest prefix decides, so that `os.path` may stay free below a
judged `os.open`.
"""

from dataclasses import dataclass
from functools import lru_cache

from evaluator.integrity.analysis.words import words
from evaluator.verdicts import FindingClass as C
from evaluator.verdicts import Severity

FREE = None


@dataclass(frozen=True)
class Rule:
    cls: C
    severity: Severity = Severity.VIOLATION
    why: str = ""


_RULES: dict[str, Rule | None] = {}


def _put(rule: Rule | None, words: str, prefix: str = "") -> None:
    _RULES.update({f"{prefix}{word}": rule for word in words.split()})


_put(Rule(C.DYNAMIC_CODE, why="runs code made at run time"), "exec eval compile", "builtins.")
_put(
    Rule(C.DYNAMIC_CODE, why="runs text as code"),
    "timeit.timeit timeit.repeat timeit.Timer timeit.main cProfile profile pdb bdb doctest trace.Trace",
)
_put(Rule(C.DYNAMIC_CODE, Severity.SUSPICIOUS, "evaluates annotations given as text"), "typing.get_type_hints")
_put(
    Rule(C.DYNAMIC_CODE, why="runs text as code"),
    """typing._eval_type typing.evaluate_forward_ref typing.ForwardRef()._evaluate typing.ForwardRef().evaluate
    sympy.lambdify sympy.sympify sympy.S sympy.parse_expr sympy.parsing sympy.utilities.lambdify
    sympy.utilities.autowrap sympy.core.sympify""",
)
_put(
    Rule(C.DYNAMIC_IMPORT, why="imports and calls what a configuration names"),
    "logging.config",
)
_put(Rule(C.DYNAMIC_CODE, why="makes functions from code objects"), "FunctionType CodeType LambdaType", "types.")
_put(Rule(C.DYNAMIC_CODE, why="runs code made at run time"), "code codeop runpy ast.literal_eval_code")
_put(
    Rule(C.DYNAMIC_IMPORT, why="imports by name at run time"),
    """
        builtins.__import__ imp pkgutil zipimport importlib pydoc.locate pydoc.safeimport sys.meta_path sys.path_hooks
        sys.path_importer_cache builtins.__loader__ builtins.__spec__ builtins.__builtins__""",
)
_put(
    FREE,
    """
        importlib.util.spec_from_file_location importlib.util.module_from_spec importlib.util.find_spec
        importlib.import_module importlib.invalidate_caches importlib.resources importlib.metadata
        importlib.machinery.ModuleSpec""",
)
_put(
    Rule(C.FILE_ACCESS, why="reads files of installed packages"),
    """
        importlib.resources.open_text importlib.resources.open_binary importlib.resources.read_text
        importlib.resources.read_binary importlib.resources.files importlib.resources.path importlib.resources.as_file
        importlib.resources.contents importlib.metadata.files importlib.metadata.distribution
        importlib.metadata.distributions""",
)
_put(
    Rule(C.DYNAMIC_IMPORT, Severity.SUSPICIOUS, "loads a module from a path"),
    "importlib.machinery.SourceFileLoader importlib.reload",
)
_put(
    Rule(C.DYNAMIC_IMPORT, why="reads attributes by their names at run time"),
    "inspect.getmembers inspect.getmembers_static string.Formatter",
)
_put(
    Rule(C.COMPILE_DELEGATION, why="compiles and loads code of another language"),
    """triton.runtime.build triton.runtime._allocation triton.backends triton.tools triton.compile
    triton.compiler.compile triton._C numpy.f2py""",
)
_put(FREE, "triton.backends.compiler.GPUTarget triton.tools.tensor_descriptor triton.tools.mxfp")
_put(Rule(C.FILE_ACCESS, why="keeps files between calls and runs"), "triton.runtime.cache")
_put(
    Rule(C.UNPICKLE, why="pickles can name any function"),
    "pickle _pickle cPickle dill cloudpickle marshal shelve joblib copyreg jsonpickle yaml hickle numpy.lib.npyio",
)
_put(
    Rule(C.RAW_MEMORY, why="reaches memory by address"),
    """
        ctypes _ctypes cffi mmap numpy.ctypeslib multiprocessing.shared_memory _posixshmem numpy.lib.stride_tricks
        builtins.memoryview_cast""",
)
_put(Rule(C.REFERENCE_SEARCH, why="searches the heap"), "get_objects get_referrers get_referents callbacks", "gc.")
_put(
    Rule(C.REFERENCE_SEARCH, why="walks the call stack"),
    """
        _getframe _current_frames _current_exceptions monitoring settrace setprofile exc_info_frames _getframemodulename
        call_tracing""",
    "sys.",
)
_put(
    Rule(C.REFERENCE_SEARCH, why="walks the call stack"),
    "stack currentframe getouterframes getinnerframes trace getframeinfo getgeneratorlocals getcoroutinelocals",
    "inspect.",
)
_put(
    Rule(C.REFERENCE_SEARCH, why="walks the call stack"),
    "walk_stack walk_tb extract_stack extract_tb StackSummary",
    "traceback.",
)
_put(
    Rule(C.REFERENCE_SEARCH, why="reaches into the harness's main module"),
    "__main__ threading.settrace threading.setprofile tracemalloc _testcapi _testinternalcapi objgraph pympler",
)
_put(
    Rule(C.REFERENCE_SEARCH, Severity.SUSPICIOUS, "reads the source or closure of other functions"),
    "getsource getsourcelines getsourcefile getclosurevars getmodule findsource",
    "inspect.",
)
_put(
    Rule(C.MONKEYPATCH, why="replaces functions of other modules"),
    "unittest.mock mock forbiddenfruit wrapt sys.setswitchinterval gc.freeze gc.set_threshold gc.disable",
)
_put(
    Rule(C.PHASE_DETECTION, Severity.SUSPICIOUS, "reads the device's clock"),
    "globaltimer clock clock64",
    "triton.language.extra.cuda.",
)
_put(
    Rule(C.MONKEYPATCH, why="replaces the driver that all kernels are launched by"), "triton.runtime.driver.set_active"
)
_put(
    Rule(C.BASELINE_TAMPERING, why="runs at every launch of the process, those of the baseline included"),
    """launch_enter_hook launch_exit_hook kernel_load_start_hook kernel_load_end_hook kernel_unload_hook jit_cache_hook
    jit_post_compile_hook add_stages_inspection_hook""",
    "triton.knobs.runtime.",
)
_put(
    Rule(C.BACKGROUND_THREAD, why="work can go on after the launcher has returned"),
    """
        threading.Thread threading.Timer _thread concurrent.futures concurrent.interpreters _xxsubinterpreters
        sched.scheduler asyncio signal.setitimer signal.alarm trio anyio curio gevent eventlet greenlet""",
)
_put(
    Rule(C.SUBPROCESS, why="starts a process"),
    "subprocess multiprocessing pty pexpect sh plumbum _posixsubprocess concurrent.futures.ProcessPoolExecutor loky",
)
_put(
    Rule(C.SUBPROCESS, why="starts a process"),
    """system popen fork forkpty execv execve execl execle execlp execlpe execvp execvpe spawnl spawnle spawnlp spawnlpe
    spawnv spawnve spawnvp spawnvpe posix_spawn posix_spawnp startfile register_at_fork unshare setns wait waitpid""",
    "os.",
)
_put(
    Rule(C.NETWORK, why="opens a connection"),
    """
        socket _socket ssl http urllib urllib3 requests aiohttp httpx ftplib smtplib poplib imaplib nntplib telnetlib
        xmlrpc socketserver websockets websocket grpc paramiko webbrowser asyncio.open_connection asyncio.start_server
        select selectors zmq""",
)
_put(FREE, "urllib.parse http.HTTPStatus")
_put(
    Rule(C.FILE_ACCESS, why="opens a file"),
    """
        builtins.open io.open io.open_code io.FileIO _io codecs.open shutil tempfile glob fileinput linecache sqlite3
        dbm zipfile tarfile gzip bz2 lzma h5py safetensors pandas logging.FileHandler logging.handlers tokenize.open""",
)
_put(
    Rule(C.FILE_ACCESS, why="touches files"),
    """open fdopen listdir scandir walk fwalk stat lstat fstat access chmod chown chdir fchdir chroot link symlink
    readlink remove unlink rename renames replace rmdir removedirs mkdir makedirs mkfifo mknod truncate ftruncate read
    pread readv sendfile copy_file_range memfd_create utime statvfs openpty ttyname pipe pipe2 lseek close closerange
    dup eventfd""",
    "os.",
)
_put(Rule(C.FILE_ACCESS, why="reads what is put in from outside"), "sys.stdin sys.__stdin__")
_put(
    Rule(C.FILE_ACCESS, why="reads or writes a file"),
    "load save savez savez_compressed loadtxt savetxt genfromtxt fromfile memmap DataSource fromregex",
    "numpy.",
)
_put(
    Rule(C.FORGED_OUTPUT, why="writes to a file descriptor behind Python's back"),
    "os.write os.writev os.pwrite os.dup2 os.pwritev",
)
_put(
    Rule(C.FORGED_OUTPUT, Severity.SUSPICIOUS, "redirects the standard output"),
    "contextlib.redirect_stdout contextlib.redirect_stderr",
)
_put(
    Rule(C.EARLY_EXIT, why="ends the process"),
    """
        os._exit os.abort os.kill os.killpg sys.exit builtins.exit builtins.quit builtins.SystemExit
        builtins.KeyboardInterrupt builtins.GeneratorExit signal.raise_signal signal.pthread_kill faulthandler
        _sysconfigdata""",
)
_put(FREE, "faulthandler.enable")
_put(
    Rule(C.EXIT_HOOK, why="runs code later, outside the call"),
    """
        atexit weakref.finalize signal.signal sys.addaudithook threading._register_atexit sys.unraisablehook
        sys.excepthook signal.set_wakeup_fd signal.siginterrupt""",
)
_put(
    Rule(C.RESOURCE, why="changes limits or priorities of the process"),
    """
        resource os.nice os.sched_setaffinity os.setpriority os.sched_setscheduler os.sched_setparam psutil os.setuid
        os.setgid os.setsid os.setpgid os.setrlimit os.umask""",
)
_put(
    Rule(C.REFERENCE_SEARCH, why="walks the call stack"),
    "logging.currentframe logging._srcfile warnings._getframe",
)
_put(Rule(C.RESOURCE, Severity.SUSPICIOUS, "lifts a limit"), "sys.setrecursionlimit threading.stack_size")
_put(Rule(C.RESOURCE, Severity.SUSPICIOUS, "waits"), "time.sleep signal.pause threading.Event.wait")
_put(Rule(C.MONKEYPATCH, Severity.SUSPICIOUS, "changes the environment of the process"), "os.putenv os.unsetenv")

COMPILERS = words(
    """numba jax jaxlib tvm tensorrt torch_tensorrt onnxruntime openvino tensorflow cupyx pycuda taichi warp halide
    mlir pyopencl iree nvmath thunder nvrtc"""
)
LIBRARIES = words(
    """cupy scipy xformers flash_attn apex einops transformers torchvision torchaudio deepspeed vllm liger_kernel
    transformer_engine cutlass flashinfer keras sklearn bitsandbytes fairscale timm sgl_kernel
    flash_attn_interface causal_conv1d mamba_ssm fla paddle mxnet cuda opt_einsum torchao kornia numexpr"""
)
HARNESS = words(
    """evaluator passnet_web submissions dataset assistant graph_net graph_net_bench graphnet kernelbench passbench"""
)

# Modules whose mere import has no honest reason in a pass; others are judged by what is called.
_IMPORTS = words(
    """pickle _pickle cPickle dill cloudpickle marshal shelve joblib ctypes _ctypes cffi mmap socket _socket ssl
    requests urllib3 aiohttp httpx ftplib smtplib telnetlib xmlrpc socketserver websockets subprocess
    multiprocessing pty _posixsubprocess atexit _thread code codeop runpy imp pkgutil zipimport __main__ _testcapi
    _xxsubinterpreters forbiddenfruit faulthandler pexpect sqlite3 urllib.request http.client http.server
    unittest.mock logging.config"""
)


@lru_cache(maxsize=4096)
def rule_for(name: str) -> Rule | None:
    """The rule for using (calling, reading below) an outside name, or None."""
    parts = name.removesuffix("()").split(".")
    if parts[0] in HARNESS:
        return Rule(C.GUARD_DETECTION, why="reaches into the harness")
    for end in range(len(parts), 0, -1):
        prefix = ".".join(parts[:end])
        if prefix in _RULES:
            return _RULES[prefix]
    return None


def import_rule(name: str) -> Rule | None:
    """The rule for importing a module by a plain statement, or None."""
    parts = name.split(".")
    if parts[0] in HARNESS:
        return Rule(C.GUARD_DETECTION, why="imports the harness")
    for end in range(len(parts), 0, -1):
        if ".".join(parts[:end]) in _IMPORTS:
            return rule_for(name)
    return None


# A module reached through another one (`torch.os.system`) is the same module.
RESTART = words(
    """os sys builtins subprocess socket ctypes pickle marshal importlib inspect gc threading multiprocessing io
    pathlib shutil tempfile time numpy torch atexit traceback weakref operator runpy glob pkgutil linecache mmap
    tokenize datetime asyncio"""
)


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """Follow modules that are attributes of other modules: "torch.nn.functional.torch.add" is "torch.add"."""
    if name.startswith("torch.multiprocessing"):
        return name
    parts = name.split(".")
    for index in range(len(parts) - 1, 0, -1):
        part = parts[index]
        if part in RESTART and parts[index - 1] not in ("concurrent",) and not parts[index - 1].endswith("()"):
            return ".".join(parts[index:])
        if part == "np":
            return ".".join(["numpy", *parts[index + 1 :]])
    return name
