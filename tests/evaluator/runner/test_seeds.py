"""What lies in a seed of ours."""

import zipfile

from evaluator.runner.seeds import generated_code


def test_the_code_that_inductor_wrote(tmp_path):
    path = tmp_path / "seed.zip"
    assert generated_code(path) is None
    path.write_bytes(b"none")
    assert generated_code(path) is None
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("triton/ab/stub.py", "def call(args): pass")
        archive.writestr("inductor/ab/kernel.py", "x = 1\n")
        archive.writestr("inductor/cd/whole.py", "def call(args):\n    return 1\n")
    assert generated_code(path) == "def call(args):\n    return 1\n"
