"""The embedder that a library's settings name: a local model, or one behind an endpoint that the user agreed to."""

from __future__ import annotations

from core.embedding import EmbeddingModel, load_model, packaged_counter
from core.language_model.client import Client
from core.language_model.embedding import EndpointEncoder, fingerprint
from core.language_model.keys import key_of
from core.language_model.settings import load
from core.settings import EmbeddingSettings
from core.storage.catalogue.texts import generations
from core.storage.shelf import language_file
from core.storage.store import Store


def embedder(store: Store, settings: EmbeddingSettings) -> EmbeddingModel:
    """The encoder and its token counter. Raises ``ModelError`` for missing weights.

    An endpoint is not called yet. Since it offers no tokenizer, tokens are counted with the packaged one.
    """
    name = settings.endpoint_model
    if not name:
        return load_model(settings)

    def make_client(urgent: bool) -> Client:
        endpoint = load(language_file()).embedding(name)
        return Client(endpoint, key_of(endpoint.address).value, urgent=urgent)

    serving = generations.serving(store)
    dimension = serving.dimension if serving and serving.embedder == fingerprint(name, serving.dimension) else 0
    return EmbeddingModel(EndpointEncoder(name, dimension, settings.batch_size, make_client), packaged_counter())
