import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # typer 0.20 reads names that click 8.5 deprecates
    import typer  # noqa: F401
