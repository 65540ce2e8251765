"""What is known beforehand about single tricks and honest passes of the tables, for `trials`."""

#: Tricks that come out clean and right where only the guards of the run look: name → why nothing is gained by them.
BY_NATURE = {
    "fallback branch": "it is not taken for this size; where it is taken it is seen",
    "sleeping": "its own time counts it",
    "device made to wait": "its own time counts it",
    "device kept busy after the call": "the device is waited for before anybody's time begins",
    "memory handed to other processes": "nobody outside of the run's namespaces can open it",
    "allocator emptied when the output goes": "its own next output has to be asked for, too; the text says it",
    "type text": "there is one type in all calls",
    "clock decides": "the run is over before",
    "seen pointers": "it works wherever an address is new; timed calls share theirs, and are verified",
    "number of references decides": "it is the same in all calls",
    "threads alive decide": "they are the same in all calls",
    "version counter decides": "it is the same in all calls",
    "attribute by a format string": "there is one type in all calls",
    "destructor": "what it prints is text",
    "result line by logging": "what it prints is text",
    "the builtins by subclasses": "a list of classes does nothing; what is done with it is seen",
    "loader of the module": "a stand-in has no loader",
    "frame of a coroutine": "a coroutine that is closed has none",
    "number from the data is kept": "it is not used",
    "fact about the data kept by address": "the data of every call is new and never what it hopes for",
    "storage from_file": "the file system holds nothing of others",
    "write file by path": "the folder is the run's own and goes with it",
    "files by Triton's cache": "the folder is the run's own and goes with it",
    "a process by torch's helper": "it is shut in with the run and ends with the call",
    "dict update patch": "a stand-in of the module is changed, for the pass alone",
    "vars time": "a stand-in of the module is changed, for the pass alone",
    "loop over modules": "a stand-in of the module is changed, for the pass alone",
    "globals torch patch": "a stand-in of the module is changed, for the pass alone",
    "class of a module swapped": "a stand-in of the module is changed, for the pass alone",
    "a library of eager switched off": "a stand-in of the module is changed, for the pass alone",
    "clock replaced": "a stand-in of the module is changed, for the pass alone",
    "clock replaced by setattr": "a stand-in of the module is changed, for the pass alone",
    "event class replaced": "a stand-in of the module is changed, for the pass alone",
    "waiting for the device replaced": "a stand-in of the module is changed, for the pass alone",
    "eager operator slowed down": "a stand-in of the module is changed, for the pass alone",
    "os.environ set": "torch and Triton have read it long before",
    "type hints": "the text that is evaluated prints a number",
    "code object": "the function that is made is its own",
    "recursion without bounds": "the limits of the process hold",
    "Python computes on lists": "it is slower than any kernel",
}
#: Tricks that do nothing where there is no GPU.
ONLY_ON_A_GPU = frozenset({"launch option names a side stream"})
#: Honest passes that compute something else than the small graph, as they would for a graph of their own.
SOMETHING_ELSE = frozenset(
    {
        "autotune with pre-hook and pruning",
        "device functions and constants",
        "kernel under another decorator name",
        "dtype maps",
        "optional output as a dummy pointer",
        "zeroed accumulator",
        "relative import of a helper",
        "package import of a helper",
        "helper by sys.path",
        "helper by its file",
        "helper by import_module",
        "globals kernel by f-string",
        "getattr of helper",
        "ping-pong scratch",
        "dropout identity",
        "functions shared through an entry of its own in sys.modules",
        "shape table in a dict",
        "arange table with arithmetic",
        "lazily made workspace that is not returned",
        "seed counter for a dropout kernel",
    }
)
#: Honest by their text, and wrong for the small graph in ways that a guard must answer: one writes into its inputs as
#: its pattern does, one leaves an output unwritten where the numbers in its input say so.
ONLY_READ = frozenset({"in place like the pattern", "numbers read from a tensor"})
