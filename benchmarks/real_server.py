"""What a real server answers on this machine: ``transformers serve``, with a tiny model of random weights made here.

    python -m benchmarks.real_server                                          # needs fastapi and accelerate besides
    python -m benchmarks.real_server --address http://127.0.0.1:8080/v1 --model NAME [--embedder NAME]

Prints a line for each thing that is tried, and exits with 1 where one went otherwise than it should. What the model
says is noise; what counts is the protocol: its list, an answer in pieces, a stop, two at once, and what a sentence says
of each fault.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from threading import Event

from core.errors import CancelledError, LecternError, ModelError
from core.language_model.client import Client
from core.language_model.embedding import EndpointEncoder
from core.language_model.settings import LanguageSettings, tidy_address
from core.language_model.trying import trial
from core.language_model.turns import Turns

NAME = "lectern/tiny-random"
STOP_AFTER = 20  # pieces
CHAT = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}"


def make_model(cache: Path) -> None:
    """A Llama of two small layers that was taught nothing, where the hub's client looks for downloaded ones."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = cache / f"models--{NAME.replace('/', '--')}"
    place = folder / "snapshots" / ("0" * 40)
    place.mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("0" * 40)
    pairs = ByteLevelBPETokenizer()
    pairs.train_from_iterator([Path("README.md").read_text(encoding="utf-8")], 2000, special_tokens=["<s>", "</s>"])
    reader = PreTrainedTokenizerFast(tokenizer_object=pairs._tokenizer, bos_token="<s>", eos_token="</s>")  # noqa: S106
    reader.chat_template = CHAT
    reader.save_pretrained(place)
    config = LlamaConfig(
        vocab_size=len(reader),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=4096,
        bos_token_id=0,
        eos_token_id=1,
    )
    LlamaForCausalLM(config).save_pretrained(place)


@contextmanager
def served() -> Iterator[str]:
    """The address of the server while it runs."""
    program = shutil.which("transformers", path=str(Path(sys.executable).parent))
    assert program is not None, "transformers has no command in this environment"
    with tempfile.TemporaryDirectory() as cache, socket.socket() as probe:
        make_model(Path(cache))
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        environment = {**os.environ, "HF_HUB_CACHE": cache, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
        command = [program, "serve", "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 300
            while time.monotonic() < until and process.poll() is None:
                with socket.socket() as line:
                    if line.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(30)


def tested(settings: LanguageSettings) -> str:
    """The test of Settings, with the window that the server tells, as choosing a model there sets it."""
    told = {model.name: model.context_tokens for model in Client(settings).models()}
    return trial(replace(settings, context_tokens=told.get(settings.model) or settings.context_tokens), "", 2000)


def streamed(settings: LanguageSettings) -> str:
    begun, first, pieces = time.monotonic(), 0.0, []
    for piece in Client(settings).stream("Say something."):
        first = first or time.monotonic() - begun
        pieces.append(piece)
    return f"{len(pieces)} pieces, {len(''.join(pieces))} characters, the first after {first:.1f} s"


def stopped(settings: LanguageSettings) -> str:
    stop, pieces = Event(), 0
    with suppress(CancelledError):
        for pieces, _ in enumerate(Client(settings).stream("Say something long.", stop), 1):
            if pieces == STOP_AFTER:
                stop.set()
        return f"it had ended before, after {pieces} pieces"
    begun = time.monotonic()
    again = streamed(settings)
    return f"after {pieces} pieces; asked again at once it answers: {again} ({time.monotonic() - begun:.1f} s)"


def two_at_once(settings: LanguageSettings) -> str:
    with ThreadPoolExecutor(2) as pool:
        one, other = (pool.submit(Client(settings, turns=Turns()).complete, f"Say {word}.") for word in ("a", "b"))
        return f"{len(one.result())} and {len(other.result())} characters"


def refused(work: Callable[[], object]) -> str:
    """The sentence that a fault is told by. Some servers take any model's name, and any path."""
    try:
        work()
    except LecternError as error:
        return str(error)
    return "it is answered all the same"


def in_time(settings: LanguageSettings) -> str:
    """What comes of an answer with a time limit, which holds whether the server is quick or not."""
    begun = time.monotonic()
    try:
        said = f"{len(Client(settings).complete('Say on.'))} characters"
    except ModelError as error:
        said = str(error)
    took = time.monotonic() - begun
    assert took < settings.timeout_seconds + 1, f"it took {took:.1f} s"
    return f"{said} ({took:.1f} s)"


def embedded(settings: LanguageSettings, name: str) -> str:
    encoder = EndpointEncoder(name, 0, 8, lambda urgent: Client(settings.embedding(name), urgent=urgent))
    vectors = encoder.encode(["the cat sat", "a cat sat", "stock prices"])
    return (
        f"{encoder.dimension} numbers a text; cosines {vectors[0] @ vectors[1]:.3f} and {vectors[0] @ vectors[2]:.3f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address")
    parser.add_argument("--model", default=NAME)
    parser.add_argument("--embedder", default="")
    options = parser.parse_args()
    failed = False
    with served() if options.address is None else nullcontext("") as started:
        address = tidy_address(options.address or started)
        chosen = LanguageSettings(
            address, options.model, timeout_seconds=300.0, agreed=(address,), embedding_address=address
        )
        away = replace(chosen, model="none/such")
        tried: dict[str, Callable[[], str]] = {
            "list": lambda: ", ".join(model.name for model in Client(chosen).models()),
            "test": lambda: tested(chosen),
            "stream": lambda: streamed(chosen),
            "stop": lambda: stopped(chosen),
            "two at once": lambda: two_at_once(chosen),
            "no such model": lambda: refused(lambda: Client(away).complete("Say something.")),
            "time limit": lambda: in_time(replace(chosen, timeout_seconds=1.0)),
            "another path": lambda: refused(
                Client(replace(chosen, address=address[:-3], agreed=(address[:-3],))).models
            ),
            "vectors": lambda: (
                embedded(chosen, options.embedder)
                if options.embedder
                else refused(lambda: Client(chosen).embed(["a text"]))
            ),
        }
        for name, work in tried.items():
            begun = time.monotonic()
            try:
                print(f"{name}: {work()} [{time.monotonic() - begun:.0f} s]", flush=True)
            except Exception as error:
                failed = True
                print(f"{name}: FAILED, {type(error).__name__}: {error}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
