"""The runtime: fixed functions of every module, as Python that is compiled here and executed in tests."""
