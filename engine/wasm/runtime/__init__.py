"""The runtime: fixed functions of every module, as Python that is compiled, and runs by itself in tests."""
