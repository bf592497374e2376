"""Harnesses: the contract, and the machinery that loops over a model share."""

from workgym.harness.contract import (
    Answer,
    Episode,
    Harness,
    Loaded,
    Manifest,
    OracleEpisode,
    load,
    manifest,
    of,
)

__all__ = ["Answer", "Episode", "Harness", "Loaded", "Manifest", "OracleEpisode", "load", "manifest", "of"]
