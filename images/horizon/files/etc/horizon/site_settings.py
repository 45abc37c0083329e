"""A site mounts its own file here."""
