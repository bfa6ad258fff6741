from importlib.util import find_spec

# every file here imports torch or a rival package when it is collected; where they are not installed,
# `-m "not peers"` is what runs, and none of these tests would
collect_ignore_glob = [] if find_spec("torch") else ["test_*.py"]
