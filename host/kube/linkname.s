// A file in assembly lets the compiler accept functions without a body.
