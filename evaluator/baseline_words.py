"""What is said where no baseline can be measured. Imports nothing: the web side shows it too."""

MISSING_COMPILER = "missing compiler"  # between the processes that measure
COMPILER = "Inductor on the CPU needs a C++ compiler: apt-get install g++"
NO_GPU = "there is no CUDA device that torch can use: measure with --device cpu, or on a machine with a GPU"
