"""The ``rhetree`` command: one file per subcommand, each a thin layer over a plain function."""
