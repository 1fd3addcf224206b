"""The embedder that a library's settings name: of this machine, or at an address that was agreed to."""

from __future__ import annotations

from core.embedding import EmbeddingModel, load_model, packaged_counter
from core.language_model.client import Client
from core.language_model.embedding import EndpointEncoder, fingerprint
from core.language_model.keys import key_of
from core.language_model.settings import load
from core.settings import EmbeddingSettings
from core.storage.catalogue import generations
from core.storage.shelf import language_file
from core.storage.store import Store


def embedder(store: Store, settings: EmbeddingSettings) -> EmbeddingModel:
    """The encoder and the counter of its tokens. Raises ``ModelError`` for weights that are not there.

    One at an endpoint is asked nothing yet. Chunks are measured with the packaged tokenizer, for it lends none.
    """
    name = settings.endpoint_model
    if not name:
        return load_model(settings)

    def asked(urgent: bool) -> Client:
        chosen = load(language_file()).embedding(name)
        return Client(chosen, key_of(chosen.address).value, urgent=urgent)

    serving = generations.serving(store)
    known = serving.dimension if serving and serving.embedder == fingerprint(name, serving.dimension) else 0
    return EmbeddingModel(EndpointEncoder(name, known, settings.batch_size, asked), packaged_counter())
