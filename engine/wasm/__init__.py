"""Games as WebAssembly: an optimised program, emitted as one module and run by wasmtime."""
