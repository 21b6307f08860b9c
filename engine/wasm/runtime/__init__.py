"""The runtime: fixed functions of every module, in Python that is compiled for modules and executed in tests."""
