"""Putting new content in the place of a file: all of it or nothing, whatever happens meanwhile."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress


def replace_file(path: str, data: bytes) -> None:
    """Give a file new content; a link stays a link, and the file keeps its mode and its owner.

    Raises OSError if that cannot be done, and leaves the file as it was.
    """
    import tempfile

    target = os.path.realpath(path)
    known = os.path.exists(target)
    if known and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    handle, beside = tempfile.mkstemp(prefix=".attncheck-", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if known:
            _keep_owner(target, beside)
            shutil.copymode(target, beside)
        else:
            os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def _keep_owner(target: str, beside: str) -> None:
    old, new = os.stat(target), os.stat(beside)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with suppress(OSError):  # only the superuser may give a file away
            os.chown(beside, old.st_uid, old.st_gid)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
