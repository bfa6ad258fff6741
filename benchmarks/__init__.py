"""How `isotone` is measured: tasks, peers, protocols and statistics."""
