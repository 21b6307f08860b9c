"""Games as WebAssembly: a program after its passes, emitted as one module and run by wasmtime."""
