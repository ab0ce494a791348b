# What stubgen does not see by itself.
_core.__suffix__:
    __version__: str

    class FormatError(ValueError): ...
