"""A folder with everything in it: whatever some files do, all others are reported."""

import json
import sys
from pathlib import Path

import pytest

from .samples import ATTENTION
from .test_notebook import notebook

#: Every function is one finding, for which fixes are tried over the whole file. It takes far more
#: than the limit, and the limit is far more than the first file takes, which loads the whole tool
#: (where Python may write no bytecode, compiles it too).
SLOW = ATTENTION + "".join(
    ATTENTION.partition("\n\n\n")[2].replace("additive_attention", f"attention_{number}")
    for number in range(4000)
)
REASONS = {
    "bad/broken.py": "unmatched ')'",
    "bad/broken.ipynb": "not valid JSON, so it is no notebook: Expecting value",
    "bad/latin.py": "byte 0xe9 on line 1 is not utf-8 and no coding comment names another encoding",
    "bad/large.py": "too large: 10.0 MB, and no more than 1 MB are read",
    "bad/unreadable.py": "cannot be read: Input/output error",
    "bad/for_ever.py": "not checked within 6 s, which is the limit for one file",
}


@pytest.fixture
def mixed(folder):
    """Sixty files in order, as many of each kind, and one of each that cannot be checked."""
    for number in range(20):
        for place in ("a", "z"):
            Path(place).mkdir(exist_ok=True)
        Path(f"a/bug_{number}.py").write_text(f"{ATTENTION}# {number}\n")
        Path(f"z/clean_{number}.py").write_text(f"import numpy as np\nx = np.zeros({number})\n")
        Path(f"z/plain_{number}.py").write_text(f"x = {number}\n")
    Path("z/bug.ipynb").write_text(notebook(ATTENTION))
    bad = Path("bad")
    bad.mkdir()
    (bad / "broken.py").write_text("import numpy\nx = 1)\n")
    (bad / "broken.ipynb").write_text("")
    (bad / "latin.py").write_bytes(b"name = 'Andr\xe9'  # torch\n")
    (bad / "large.py").write_bytes(b"import torch\n".ljust(10_000_000))
    (bad / "unreadable.py").symlink_to("/proc/self/mem")  # for the superuser too
    (bad / "for_ever.py").write_text(SLOW)
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="/proc has a file that nobody can read")
@pytest.mark.parametrize("jobs", ["1", "3"])
def test_all_others_are_reported(attncheck, mixed, jobs):
    options = ["--jobs", jobs, "--timeout", "6"]
    done = attncheck(".", *options, "--output-format", "json")
    assert (done.code, done.err) == (2, "")
    data = json.loads(done.out)
    told = {each["path"]: (each["status"], each["reason"]) for each in data["files"]}
    failed = {path: reason for path, (status, reason) in told.items() if status == "failed"}
    assert failed == REASONS
    statuses = [status for status, _ in told.values()]
    assert [statuses.count(each) for each in ("checked", "skipped", "failed")] == [41, 20, 6]
    found = [(each["path"], each["code"]) for each in data["findings"]]
    assert found == sorted(found, key=lambda each: list(told).index(each[0]))
    assert {path for path, code in found if code == "ATN902"} == set(REASONS)
    bugs = {*(f"a/bug_{number}.py" for number in range(20)), "z/bug.ipynb"}
    assert {path for path, code in found if code == "ATN102"} == bugs
    # And again, from the cache, but for what was no fault of the file's own.
    again = attncheck(".", *options)
    assert again.code == 2
    assert again.out.splitlines()[-1].startswith(
        "checked 41 files (20 skipped: no tensor code; 6 not parsed): 6 errors, 21 warnings. "
    )
