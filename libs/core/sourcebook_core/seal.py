"""Secrets at rest: sealed with the installation's key, so that a copy of the database gives none away."""

from __future__ import annotations

import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sourcebook_core.errors import PermanentError
from sourcebook_core.settings import Settings

_VERSION = b"\x01"
_KEY_ID_BYTES = 4
_NONCE_BYTES = 12  # what AES-GCM is defined for (NIST SP 800-38D)
_SETTING = "SOURCEBOOK_SECRET_KEY"


def close_text(settings: Settings, text: str) -> bytes:
    """The text under AES-256-GCM: version, key id, nonce, ciphertext. Raises PermanentError `bad_setting` without a key."""
    key = _key(settings)
    nonce = os.urandom(_NONCE_BYTES)
    head = _VERSION + _key_id(key)
    return head + nonce + AESGCM(key).encrypt(nonce, text.encode(), head)


def open_text(settings: Settings, sealed: bytes) -> str:
    """What `close_text` sealed. Raises PermanentError `bad_setting` when it was sealed with another key or was changed."""
    key = _key(settings)
    head, rest = sealed[: 1 + _KEY_ID_BYTES], sealed[1 + _KEY_ID_BYTES :]
    if head != _VERSION + _key_id(key):
        raise PermanentError("bad_setting", setting=_SETTING, why="what is stored was sealed with another key.")
    try:
        return AESGCM(key).decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], head).decode()
    except InvalidTag:
        raise PermanentError("bad_setting", setting=_SETTING, why="what is stored cannot be opened with it.") from None


def derived(settings: Settings, what: str) -> str:
    """A secret of 256 bits that only this installation can make again, for one use (`what`). Raises as `close_text`."""
    return hmac.new(_key(settings), b"derived\x00" + what.encode(), hashlib.sha256).hexdigest()


def _key(settings: Settings) -> bytes:
    if settings.secret_key is None:
        raise PermanentError("bad_setting", setting=_SETTING, why="it is needed to keep secrets and is not set.")
    return hashlib.sha256(b"sourcebook seal 1\x00" + settings.secret_key.get_secret_value().encode()).digest()


def _key_id(key: bytes) -> bytes:
    return hashlib.sha256(b"key id\x00" + key).digest()[:_KEY_ID_BYTES]
