from pathlib import Path

# tests of the packages beside the core are found as if they lay here
__path__ += map(str, sorted(Path(__file__).parents[1].glob("packages/*/tests")))
