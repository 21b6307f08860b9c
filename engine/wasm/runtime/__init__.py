"""The runtime: fixed functions of every module, written in Python, which is compiled for modules and executed in
tests.
"""
