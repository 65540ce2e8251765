"""The one vocabulary of states, statuses, reasons and finding classes, used by every other room."""

from enum import StrEnum


class RunState(StrEnum):
    """Life of a run: queued → leased → running → done | cancelled | infrastructure_error."""

    QUEUED = "queued"
    LEASED = "leased"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    INFRASTRUCTURE_ERROR = "infrastructure_error"

    @property
    def is_final(self) -> bool:
        return self in (RunState.DONE, RunState.CANCELLED, RunState.INFRASTRUCTURE_ERROR)


class Status(StrEnum):
    """What happened to the submission on one graph."""

    CORRECT = "correct"
    ACCURACY = "accuracy"
    NO_MATCH = "no_match"
    COMPILE_FAIL = "compile_fail"
    RUNTIME_FAIL = "runtime_fail"
    EAGER_FAIL = "eager_fail"
    REJECTED = "rejected"


class Mismatch(StrEnum):
    """Why an `accuracy` graph can not be compared by value alone."""

    DTYPE = "dtype"
    SHAPE = "shape"
    COUNT = "count"
    NAN = "nan"


class RuntimeReason(StrEnum):
    """Reason of a `runtime_fail`."""

    EXCEPTION = "exception"
    CRASH = "crash"
    TIMEOUT = "timeout"
    OOM = "oom"
    OUTPUT_LIMIT = "output_limit"
    EARLY_EXIT = "early_exit"


class RejectReason(StrEnum):
    """Reason of a `rejected`."""

    BAD_SUBMISSION = "bad_submission"
    VIOLATION = "violation"


class Integrity(StrEnum):
    """Verdict of a whole run."""

    CLEAN = "clean"
    SUSPICIOUS = "suspicious"
    VIOLATION = "violation"


class Severity(StrEnum):
    """Weight of one finding."""

    VIOLATION = "violation"
    SUSPICIOUS = "suspicious"
    NOTE = "note"


class FindingClass(StrEnum):
    """Classes of integrity findings."""

    TORCH_COMPUTE = "torch_compute"
    TENSOR_OPERATOR = "tensor_operator"
    COMPILE_DELEGATION = "compile_delegation"
    HIDDEN_HELPER = "hidden_helper"
    DYNAMIC_IMPORT = "dynamic_import"
    DYNAMIC_CODE = "dynamic_code"
    UNPICKLE = "unpickle"
    RAW_MEMORY = "raw_memory"
    GUARD_DETECTION = "guard_detection"
    PHASE_DETECTION = "phase_detection"
    OUTPUT_CACHE = "output_cache"
    LEFTOVER_MEMORY = "leftover_memory"
    MONKEYPATCH = "monkeypatch"
    UNSYNCED_STREAM = "unsynced_stream"
    BACKGROUND_THREAD = "background_thread"
    TENSOR_SUBCLASS = "tensor_subclass"
    FORGED_OUTPUT = "forged_output"
    EARLY_EXIT = "early_exit"
    EXIT_HOOK = "exit_hook"
    REFERENCE_SEARCH = "reference_search"
    INPUT_MUTATION = "input_mutation"
    OUTPUT_ALIAS = "output_alias"
    FILE_ACCESS = "file_access"
    NETWORK = "network"
    SUBPROCESS = "subprocess"
    RESOURCE = "resource"
    BASELINE_TAMPERING = "baseline_tampering"
    SHAPE_OVERFIT = "shape_overfit"
    VALUE_OVERFIT = "value_overfit"
    IMPOSSIBLE_SPEED = "impossible_speed"
