"""The theorems as programs: constructions with exact weights, equivalences, and bounds."""
