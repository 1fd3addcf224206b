"""Models of the Hugging Face hub: looks up the files and size of a model, and downloads it on request.

Only explicit calls use the network; loading a model never does (``core/embedding/encoder.py``). Files are stored in the
hub client's own cache, so other programs find them too. No access token is sent.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Self

from core.errors import ModelError

_OFFLINE = any(  # set by the user; read before this module sets the same variable for the libraries that load models
    os.environ.get(name, "").strip().lower() in {"1", "on", "yes", "true"}
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
)
# The hub client reads these variables when it is imported.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")  # it would report the installed libraries
_LOCK = threading.Lock()
_SAVED_FLAGS: list[tuple[bool, bool]] = []  # the client's flags before each ``_online`` that is running
NOT_FETCHED = "Fetch it once, in Settings or by `hf download {}`, or give the folder of a copy."
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_WEIGHTS, _OLDER_WEIGHTS = ".safetensors", (".bin", ".pt", ".pth")
_UNUSED_SUFFIXES = (  # weights in other formats, and images and documents
    *(".onnx", ".onnx_data", ".h5", ".msgpack", ".ot", ".tflite", ".gguf", ".mlmodel", ".pb"),
    *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf"),
)
_UNUSED_FOLDERS = ("onnx", "openvino", "coreml", "imgs")
_FIRST_FILE = "config.json"  # needed to load any model; downloaded last, so that it shows that a model is complete
_TIMEOUT = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class Offer:
    """A model on the hub. ``files``: name to size in bytes, of the needed files. ``place``: host name of the hub.

    ``folder``: the local cache that the files are stored in.
    """

    name: str
    commit: str
    files: Mapping[str, int]
    place: str
    folder: Path

    @property
    def size_bytes(self) -> int:
        return sum(self.files.values())


def is_hub_name(model: str) -> bool:
    """Whether a model's name has the form of the hub's names and is no local folder.

    >>> is_hub_name("intfloat/e5-small"), is_hub_name("packaged"), is_hub_name("~/models/mine"), is_hub_name("a/b/c")
    (True, False, False, False)
    """
    return bool(_NAME.fullmatch(model)) and not Path(model).is_dir()


def is_fetched(model: str) -> bool:
    """Whether a model of the hub has been downloaded."""
    from huggingface_hub import errors, try_to_load_from_cache

    try:
        return isinstance(try_to_load_from_cache(model, _FIRST_FILE), str)
    except errors.HFValidationError:  # no valid name
        return False


def needed(files: Mapping[str, int]) -> dict[str, int]:
    """The files of a model that are used here, ``config.json`` last. ``files``: name to size in bytes.

    >>> files = {"config.json": 9, "a.bin": 5, "a.safetensors": 5, "onnx/model.onnx": 7, "1_Pooling/config.json": 1}
    >>> list(needed(files)), list(needed({"a.bin": 5, "config.json": 9}))
    (['a.safetensors', '1_Pooling/config.json', 'config.json'], ['a.bin', 'config.json'])
    """
    unused = _UNUSED_SUFFIXES + (_OLDER_WEIGHTS if any(name.endswith(_WEIGHTS) for name in files) else ())
    names = [
        name
        for name in files
        if not name.lower().endswith(unused)
        and not name.startswith(".")
        and PurePosixPath(name).parts[0] not in _UNUSED_FOLDERS
    ]
    return {name: files[name] for name in sorted(names, key=lambda name: name == _FIRST_FILE)}


def offered(model: str) -> Offer:
    """Asks the hub for the files of a model, without downloading them.

    Raises ``ModelError`` if the hub cannot be reached or has no such public model.
    """
    from huggingface_hub import HfApi, constants

    with _online(model):
        info = HfApi(token=False).model_info(model, files_metadata=True, timeout=_TIMEOUT)
    files = needed({each.rfilename: each.size or 0 for each in info.siblings or ()})
    if _FIRST_FILE not in files or not info.sha:
        raise ModelError(f"{model} is no model that can be loaded here: it has no {_FIRST_FILE}.", "Choose another.")
    return Offer(model, info.sha, files, constants.ENDPOINT.partition("://")[2], Path(constants.HF_HUB_CACHE))


def fetch(offer: Offer, tell: Callable[[int, int], None]) -> None:
    """Downloads a model. ``tell(bytes, total)``: progress; may raise ``CancelledError``.

    Complete files are kept, and the next call continues after them. Raises ``ModelError`` if the download fails.
    """
    from huggingface_hub import hf_hub_download

    done, total = 0, max(1, offer.size_bytes)

    class CountingBar:  # the client reports progress only to a progress bar like tqdm's
        def __init__(self, *_: Any, initial: int = 0, **__: Any) -> None:
            self.bytes = initial

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing to close."""

        def update(self, n: float | None = 1) -> None:
            self.bytes += int(n or 0)
            tell(min(total, done + self.bytes), total)

    for name, size in offer.files.items():
        tell(done, total)
        with _online(offer.name):
            bar: Any = CountingBar
            path = hf_hub_download(offer.name, name, tqdm_class=bar, token=False, etag_timeout=_TIMEOUT)
        if offer.commit not in Path(path).parts:
            raise ModelError(f"{offer.name} was changed on the hub meanwhile.", "Ask the hub for it again.")
        done += size
    tell(total, total)


@contextmanager
def _online(model: str) -> Iterator[None]:
    """Allows the hub client to use the network, by plain HTTP, unless the user has forbidden it.

    Raises ``ModelError`` then, and for every failure of the client.
    """
    import httpx2
    from huggingface_hub import constants, errors

    if _OFFLINE:
        raise ModelError(
            f"{model} is not fetched: HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE says that nothing may be.",
            "Start Lectern without it, or give the folder of a copy.",
        )
    with _LOCK:  # downloads may run in parallel: only the last one to end restores the flags
        _SAVED_FLAGS.append((constants.HF_HUB_OFFLINE, constants.HF_HUB_DISABLE_XET))
        constants.HF_HUB_OFFLINE, constants.HF_HUB_DISABLE_XET = False, True
    try:
        yield
    except errors.HFValidationError as error:
        raise ModelError(f"The hub has no model {model}: no name of a model there reads so.", "Check it.") from error
    except errors.GatedRepoError as error:
        raise ModelError(
            f"{model} asks for an agreement on the hub.", f"Agree there, then fetch it by `hf download {model}`."
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise ModelError(
            f"The hub has no model {model} that everybody may fetch.",
            f"Check its name. One that asks for a login is fetched by `hf download {model}`.",
        ) from error
    except (errors.HfHubHTTPError, errors.LocalEntryNotFoundError, httpx2.HTTPError) as error:
        raise ModelError(
            f"{constants.ENDPOINT.partition('://')[2]} could not be reached, or did not answer: nothing was fetched.",
            "Check the network and try again, or copy the model's folder to this machine and give the folder.",
        ) from error
    except (OSError, ValueError, RuntimeError, ImportError, httpx2.InvalidURL) as error:  # also an invalid proxy
        reason = (str(error).strip() or type(error).__name__).split("\n")[0].rstrip(".")
        raise ModelError(
            f"{model} was not fetched: {reason}.", "Check the room on the disk and the proxy, if any, then try again."
        ) from error
    finally:
        with _LOCK:
            before = _SAVED_FLAGS.pop()
            if not _SAVED_FLAGS:
                constants.HF_HUB_OFFLINE, constants.HF_HUB_DISABLE_XET = before
