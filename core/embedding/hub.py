"""Models of the Hugging Face hub: what one consists of, how large it is, and fetching it once a person said so.

Nothing here runs by itself: loading a model never asks the hub (``core/embedding/encoder.py``). What is fetched lies
where the hub's own client keeps it, so other programs find it, too. No token of the person's goes along.
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

_BANNED = any(  # by the person: read before this program says the same for the libraries that load models
    os.environ.get(name, "").strip().lower() in {"1", "on", "yes", "true"}
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
)
# The client reads these once, as it is imported, whoever does that first.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")  # or it tells what else is installed, and by whom it is run
_DOOR = threading.Lock()
_BEFORE: list[tuple[bool, bool]] = []  # what the client may do: first as it was, then what each who reaches it found
NOT_FETCHED = "Fetch it once, in Settings or by `hf download {}`, or give the folder of a copy."
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_WEIGHTS, _OLDER_WEIGHTS = ".safetensors", (".bin", ".pt", ".pth")
_UNREAD = (  # the same weights for other programs, and what people look at
    *(".onnx", ".onnx_data", ".h5", ".msgpack", ".ot", ".tflite", ".gguf", ".mlmodel", ".pb"),
    *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf"),
)
_UNREAD_FOLDERS = ("onnx", "openvino", "coreml", "imgs")
_FIRST_FILE = "config.json"  # without it no model is loaded: fetched last, it says that the others are there
_SECONDS = 10.0  # to wait for an answer


@dataclass(frozen=True, slots=True)
class Offer:
    """A model as the hub has it. ``files``: that are needed, with their bytes. ``place``: of the hub, as people name
    it. ``folder``: where they will lie.
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
    """Whether a model is named as the hub names them, and is no folder of this machine.

    >>> is_hub_name("intfloat/e5-small"), is_hub_name("packaged"), is_hub_name("~/models/mine"), is_hub_name("a/b/c")
    (True, False, False, False)
    """
    return bool(_NAME.fullmatch(model)) and not Path(model).is_dir()


def is_fetched(model: str) -> bool:
    """Whether a model of the hub lies on this machine."""
    from huggingface_hub import errors, try_to_load_from_cache

    try:
        return isinstance(try_to_load_from_cache(model, _FIRST_FILE), str)
    except errors.HFValidationError:  # no name that the hub gives
        return False


def needed(files: Mapping[str, int]) -> dict[str, int]:
    """Of a model's files, with their bytes, those that are read here; the last one says that all are there.

    >>> files = {"config.json": 9, "a.bin": 5, "a.safetensors": 5, "onnx/model.onnx": 7, "1_Pooling/config.json": 1}
    >>> list(needed(files)), list(needed({"a.bin": 5, "config.json": 9}))
    (['a.safetensors', '1_Pooling/config.json', 'config.json'], ['a.bin', 'config.json'])
    """
    unread = _UNREAD + (_OLDER_WEIGHTS if any(name.endswith(_WEIGHTS) for name in files) else ())
    read = [
        name
        for name in files
        if not name.lower().endswith(unread)
        and not name.startswith(".")
        and PurePosixPath(name).parts[0] not in _UNREAD_FOLDERS
    ]
    return {name: files[name] for name in sorted(read, key=lambda name: name == _FIRST_FILE)}


def offered(model: str) -> Offer:
    """Ask the hub what a model consists of; nothing is fetched. Raises ``ModelError`` where it cannot be asked, or has
    no such model for everybody.
    """
    from huggingface_hub import HfApi, constants

    with _reaching(model):
        info = HfApi(token=False).model_info(model, files_metadata=True, timeout=_SECONDS)
    files = needed({each.rfilename: each.size or 0 for each in info.siblings or ()})
    if _FIRST_FILE not in files or not info.sha:
        raise ModelError(f"{model} is no model that can be loaded here: it has no {_FIRST_FILE}.", "Choose another.")
    return Offer(model, info.sha, files, constants.ENDPOINT.partition("://")[2], Path(constants.HF_HUB_CACHE))


def fetch(offer: Offer, tell: Callable[[int, int], None]) -> None:
    """Bring a model onto this machine. ``tell(bytes, of all)`` may raise ``CancelledError``: files that are there whole
    stay, and the next time goes on after them. Raises ``ModelError`` where it cannot be had.
    """
    from huggingface_hub import hf_hub_download

    done, total = 0, max(1, offer.size_bytes)

    class Counted:  # the client knows progress as a bar alone
        def __init__(self, *_: Any, initial: int = 0, **__: Any) -> None:
            self.bytes = initial

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing was opened."""

        def update(self, n: float | None = 1) -> None:
            self.bytes += int(n or 0)
            tell(min(total, done + self.bytes), total)

    for name, size in offer.files.items():
        tell(done, total)
        with _reaching(offer.name):
            bar: Any = Counted
            there = hf_hub_download(offer.name, name, tqdm_class=bar, token=False, etag_timeout=_SECONDS)
        if offer.commit not in Path(there).parts:
            raise ModelError(f"{offer.name} was changed on the hub meanwhile.", "Ask the hub for it again.")
        done += size
    tell(total, total)


@contextmanager
def _reaching(model: str) -> Iterator[None]:
    """Let the hub's client use the network, by plain HTTP; a person's own ban stays."""
    import httpx2
    from huggingface_hub import constants, errors

    if _BANNED:
        raise ModelError(
            f"{model} is not fetched: HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE says that nothing may be.",
            "Start Lectern without it, or give the folder of a copy.",
        )
    with _DOOR:  # two windows may fetch at a time: who leaves first shuts nothing, who leaves last all of it
        _BEFORE.append((constants.HF_HUB_OFFLINE, constants.HF_HUB_DISABLE_XET))
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
    except (OSError, ValueError, RuntimeError, ImportError, httpx2.InvalidURL) as error:  # a proxy nobody can ask, too
        said = (str(error).strip() or type(error).__name__).split("\n")[0].rstrip(".")
        raise ModelError(
            f"{model} was not fetched: {said}.", "Check the room on the disk and the proxy, if any, then try again."
        ) from error
    finally:
        with _DOOR:
            before = _BEFORE.pop()
            if not _BEFORE:
                constants.HF_HUB_OFFLINE, constants.HF_HUB_DISABLE_XET = before
