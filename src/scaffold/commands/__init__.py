"""The commands, one module each, with a function ``run(arguments)`` that gives the exit code."""
