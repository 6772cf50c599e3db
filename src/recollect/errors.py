"""Every error recollect raises on purpose. Each says what to do; none leaves a change behind.

RecollectError
├── InvalidInput            what was passed cannot be stored or asked (also a ValueError)
│   └── TooLarge            it could, if it were smaller
├── NotFound                no such thing in this tenant and view (also a LookupError)
├── Conflict                it contradicts what is already stored
├── AccessError             whoever asks may not do this
│   ├── Unauthenticated     no key, or one that is unknown, revoked or expired
│   ├── Forbidden           the key does not include this operation or space
│   └── TooManyRequests     the key asks more often than it may: wait a moment
├── SettingsError           the configuration does not make sense
├── StoreError              the database cannot do it
│   ├── StoreBusy           another writer held the database for too long: try again
│   ├── StoreVersionError   written by a newer recollect, or not by recollect at all
│   └── StoreCorrupt        stored bytes do not match their digest
├── ModelError              an embedder, LLM or tokenizer failed
│   ├── ModelMissing        its package or weights are not installed
│   ├── ModelMismatch       the store's vectors were made by another embedder
│   └── ModelUnavailable    it timed out, refused or answered nonsense: worth a retry
└── ServerError             a recollect server cannot be reached, or failed
"""


class RecollectError(Exception):
    """The root of everything recollect raises on purpose."""


class InvalidInput(RecollectError, ValueError):
    """What was passed cannot be stored or asked."""


class TooLarge(InvalidInput):
    """What was passed is over a limit; the message names the limit and the way around it."""


class NotFound(RecollectError, LookupError):
    """No such thing in this tenant and view; other tenants' things are never hinted at."""


class Conflict(RecollectError):
    """The request contradicts what is already stored."""


class AccessError(RecollectError):
    """Whoever asks may not do this."""


class Unauthenticated(AccessError):
    """There is no key, or it is unknown, revoked or expired."""


class Forbidden(AccessError):
    """The key does not include this operation or this space."""


class TooManyRequests(AccessError):
    """The key asks more often than it may; waiting a moment helps."""


class SettingsError(RecollectError):
    """The configuration does not make sense."""


class StoreError(RecollectError):
    """The database cannot do what was asked."""


class StoreBusy(StoreError):
    """Another writer held the database for longer than the busy timeout; trying again is safe."""


class StoreVersionError(StoreError):
    """The database was written by a newer recollect, or by something else."""


class StoreCorrupt(StoreError):
    """Stored bytes do not match the digest they were written with."""


class ModelError(RecollectError):
    """An embedder, LLM or tokenizer failed."""


class ModelMissing(ModelError):
    """The package or the weights of a model are not installed; the message says how to get them."""


class ModelMismatch(ModelError):
    """The store's vectors were made by another embedder than the one it was opened with."""


class ModelUnavailable(ModelError):
    """A model timed out, refused or answered nonsense; the work stays queued for a retry."""


class ServerError(RecollectError):
    """A recollect server cannot be reached, or failed to answer."""
